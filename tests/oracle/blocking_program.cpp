#include "tests/oracle/blocking_program.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <stdexcept>

namespace heddle::oracle::blocking {
namespace {

// Arguments, a letter each: a kind of object (a, m, c, s, w, l), r a register, v a value.
struct row {
  operation kind;
  std::string_view name;
  std::string_view arguments;
  bool has_result = false;
};

constexpr std::array rows{
    row{operation::load, "load", "a", true},
    row{operation::store, "store", "av"},
    row{operation::add, "add", "av", true},
    row{operation::exchange, "exchange", "av", true},
    row{operation::compare_exchange, "cas", "avv", true},
    row{operation::await, "await", "av"},
    row{operation::sleep_while, "sleep_while", "av"},
    row{operation::wake_one, "wake_one", "a"},
    row{operation::wake_all, "wake_all", "a"},
    row{operation::lock, "lock", "m"},
    row{operation::unlock, "unlock", "m"},
    row{operation::try_lock, "try_lock", "m", true},
    row{operation::wait, "wait", "cm"},
    row{operation::wait_until, "wait_until", "cmav"},
    row{operation::wait_for, "wait_for", "cm", true},
    row{operation::notify_one, "notify_one", "c"},
    row{operation::notify_all, "notify_all", "c"},
    row{operation::acquire, "acquire", "s"},
    row{operation::try_acquire, "try_acquire", "s", true},
    row{operation::release, "release", "s"},
    row{operation::lock_exclusive, "lock_exclusive", "w"},
    row{operation::try_lock_exclusive, "try_lock_exclusive", "w", true},
    row{operation::unlock_exclusive, "unlock_exclusive", "w"},
    row{operation::lock_shared, "lock_shared", "w"},
    row{operation::try_lock_shared, "try_lock_shared", "w", true},
    row{operation::unlock_shared, "unlock_shared", "w"},
    row{operation::count_down, "count_down", "l"},
    row{operation::wait_zero, "wait_zero", "l"},
    row{operation::skip_if, "skip_if", "rvv"},
    row{operation::skip_unless, "skip_unless", "rvv"},
};

const row& row_of(operation kind) {
  const auto& found = rows[static_cast<std::size_t>(kind)];
  if (found.kind != kind) throw std::logic_error("the rows are not in the order of the operations");
  return found;
}

std::string_view names_of(char letter) {
  switch (letter) {
    case 'a':
      return "xyz";
    case 'm':
      return "mn";
    case 'c':
      return "cd";
    case 's':
      return "st";
    case 'w':
      return "w";
    default:
      return "l";
  }
}

// The field of the instruction that holds argument number `n`.
template <class Instruction>
auto& field(Instruction& what, std::string_view arguments, std::size_t n) {
  if (n == 0) return what.object;
  if (arguments[n] == 'm') return what.mutex;
  if (arguments[n] == 'a') return what.location;
  return arguments[n - 1] == 'v' ? what.right : what.left;
}

class parser {
 public:
  explicit parser(std::string_view text) {
    for (const char c : text)
      if (std::isspace(static_cast<unsigned char>(c)) == 0) text_ += c;
  }

  program run() {
    program result;
    if (text_.find("::") != std::string::npos) {
      while (!take("::")) initial(result);
    }
    do {
      auto& thread = result.threads.emplace_back();
      if (at_ == text_.size() || text_[at_] == '|') continue;
      do thread.push_back(instruction_here());
      while (take(";"));
    } while (take("|"));
    if (at_ != text_.size()) fail("| or ;");
    if (result.threads.size() > max_threads) fail("at most 4 threads");
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& expected) const {
    throw std::invalid_argument("blocking program: expected " + expected + " before \"" +
                                text_.substr(at_) + "\"");
  }
  bool take(std::string_view token) {
    if (std::string_view(text_).substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  void need(std::string_view token) {
    if (!take(token)) fail(std::string(token));
  }

  int number() {
    int value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc{}) fail("a number");
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }
  int name(char letter) {
    const std::string_view names = names_of(letter);
    const std::size_t found = at_ < text_.size() ? names.find(text_[at_]) : std::string::npos;
    if (found == std::string::npos) fail("one of " + std::string(names));
    ++at_;
    return static_cast<int>(found);
  }
  int register_here() {
    need("r");
    const int n = number();
    if (n < 0 || n >= register_count) fail("a register");
    return n;
  }

  void initial(program& result) {
    const std::string_view rest = std::string_view(text_).substr(at_);
    int* place = &result.latch;
    if (rest.starts_with('l')) {
      ++at_;
    } else if (rest.starts_with('s') || rest.starts_with('t')) {
      place = &result.semaphores[static_cast<std::size_t>(name('s'))];
    } else {
      place = &result.memory[static_cast<std::size_t>(name('a'))];
    }
    need("=");
    *place = number();
  }

  instruction instruction_here() {
    instruction what;
    if (at_ + 1 < text_.size() && text_[at_] == 'r' &&
        std::isdigit(static_cast<unsigned char>(text_[at_ + 1])) != 0) {
      what.result = register_here();
      need("=");
    }
    const std::size_t open = std::min(text_.find('(', at_), text_.size());
    const std::string_view name_here = std::string_view(text_).substr(at_, open - at_);
    const auto* found =
        std::find_if(rows.begin(), rows.end(), [&](const row& r) { return r.name == name_here; });
    if (found == rows.end()) fail("an instruction");
    if (what.result != none && !found->has_result) fail("an instruction with a result");
    at_ = open;
    what.kind = found->kind;
    need("(");
    for (std::size_t n = 0; n < found->arguments.size(); ++n) {
      if (n != 0) need(",");
      const char letter = found->arguments[n];
      field(what, found->arguments, n) = letter == 'v'   ? number()
                                         : letter == 'r' ? register_here()
                                                         : name(letter);
    }
    need(")");
    return what;
  }

  std::string text_;
  std::size_t at_ = 0;
};

void separate(std::string& text, std::string_view separator) {
  if (!text.empty()) text += separator;
}

}  // namespace

program parse(std::string_view text) { return parser(text).run(); }

std::string print(const instruction& what) {
  const row& r = row_of(what.kind);
  std::string text;
  if (what.result != none) text = "r" + std::to_string(what.result) + "=";
  text += std::string(r.name) + "(";
  for (std::size_t n = 0; n < r.arguments.size(); ++n) {
    if (n != 0) text += ",";
    const char letter = r.arguments[n];
    const int value = field(what, r.arguments, n);
    if (letter == 'v') {
      text += std::to_string(value);
    } else if (letter == 'r') {
      text += "r" + std::to_string(value);
    } else {
      text += names_of(letter)[static_cast<std::size_t>(value)];
    }
  }
  return text + ")";
}

std::string print(const program& source) {
  std::string text;
  const auto initial = [&](char name, int value) {
    if (value != 0) text += std::string(1, name) + "=" + std::to_string(value) + " ";
  };
  for (std::size_t i = 0; i < source.memory.size(); ++i) initial("xyz"[i], source.memory[i]);
  for (std::size_t i = 0; i < source.semaphores.size(); ++i) initial("st"[i], source.semaphores[i]);
  initial('l', source.latch);
  if (!text.empty()) text += ":: ";
  for (std::size_t t = 0; t < source.threads.size(); ++t) {
    if (t != 0) text += " | ";
    for (std::size_t i = 0; i < source.threads[t].size(); ++i)
      text += (i == 0 ? "" : "; ") + print(source.threads[t][i]);
  }
  return text;
}

object_kind kind_of_object(operation kind) {
  switch (row_of(kind).arguments.front()) {
    case 'm':
      return object_kind::mutex;
    case 'c':
      return object_kind::condition;
    case 's':
      return object_kind::semaphore;
    case 'w':
      return object_kind::shared_mutex;
    case 'l':
      return object_kind::latch;
    default:
      return object_kind::atomic;
  }
}

bool uses(const program& source, object_kind kind) {
  for (const auto& thread : source.threads)
    for (const instruction& what : thread)
      if (kind_of_object(what.kind) == kind) return true;
  return false;
}

bool outcome::is_blocked() const {
  return std::any_of(threads.begin(), threads.end(),
                     [](const thread_end& t) { return t.how != fate::finished; });
}

std::string text_of(const outcome& what) {
  std::string text;
  for (std::size_t t = 0; t < what.threads.size(); ++t) {
    const thread_end& end = what.threads[t];
    std::string part;
    for (std::size_t r = 0; r < end.registers.size(); ++r) {
      if (end.registers[r] == 0) continue;
      separate(part, " ");
      part += "r" + std::to_string(r) + "=" + std::to_string(end.registers[r]);
    }
    separate(part, ", ");
    if (end.how == fate::finished) part += "done";
    if (end.how == fate::waits) part += "at " + std::to_string(end.at);
    if (end.how == fate::relocks) part += "relocks at " + std::to_string(end.at);
    text += (t == 0 ? "" : " | ") + part;
  }
  text += " #";
  for (std::size_t i = 0; i < what.memory.size(); ++i)
    if (what.memory[i] != 0)
      text += std::string(" ") + "xyz"[i] + "=" + std::to_string(what.memory[i]);
  return text;
}

}  // namespace heddle::oracle::blocking
