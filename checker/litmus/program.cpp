// Recursive descent over the characters; every rule of the language that a program can break is
// checked here, so that whoever runs a program may trust it.
#include "checker/litmus/program.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "checker/litmus/names.hpp"

namespace heddle::litmus {
namespace {

bool is_in_list(std::string_view list, std::string_view name) {
  return (", " + std::string(list) + ",").find(", " + std::string(name) + ",") != std::string::npos;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_word(std::string_view word, std::string_view stem) {  // the stem, perhaps with a number
  return word.starts_with(stem) &&
         std::all_of(word.begin() + static_cast<std::ptrdiff_t>(stem.size()), word.end(), is_digit);
}

class parser {
 public:
  explicit parser(std::string_view text) : text_(text) {}

  program run() {
    if (text_.find("::") != std::string_view::npos) parse_initial_values();
    do {
      result_.threads.emplace_back();
      parse_thread(result_.threads.back());
    } while (accept("|"));
    check_thread_numbers();
    return std::move(result_);
  }

 private:
  struct location_use {
    bool plain = false, atomic = false;
  };

  struct thread_reference {
    operation kind;
    int thread;  // the one that says it
    int target;
    std::size_t at;
  };

  // ---- characters and words

  [[noreturn]] void fail(std::size_t at, const std::string& found,
                         const std::string& expected) const {
    throw parse_error("litmus program, column " + std::to_string(at + 1) + ": found " + found +
                          "; expected " + expected,
                      at + 1);
  }

  // What stands at `at`, for a message.
  [[nodiscard]] std::string found(std::size_t at) const {
    if (at >= text_.size()) return "the end of the text";
    std::size_t end = at;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    return "'" + std::string(text_.substr(at, std::max<std::size_t>(end - at, 1))) + "'";
  }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  bool accept(std::string_view symbol) {
    skip_space();
    if (!text_.substr(at_).starts_with(symbol)) return false;
    at_ += symbol.size();
    return true;
  }

  void expect(std::string_view symbol, const std::string& description) {
    if (!accept(symbol)) fail(at_, found(at_), description);
  }
  void expect(std::string_view symbol) { expect(symbol, "'" + std::string(symbol) + "'"); }

  // A letter and what belongs to the same word; empty if something else stands there.
  std::string_view accept_word() {
    skip_space();
    const std::size_t begin = at_;
    if (at_ < text_.size() && is_letter(text_[at_])) {
      while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

  template <class Number>
  Number parse_number(const std::string& description) {
    skip_space();
    Number value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) fail(at_, "a number too large", description);
    if (error != std::errc()) fail(at_, found(at_), description);
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  // ---- names

  int register_number(std::string_view word, std::size_t at) const {
    if (word.size() < 2 || word[0] != 'r' || !is_word(word, "r")) return none;
    if (word.size() > 2 || word[1] - '0' >= register_count) {
      fail(at, "'" + std::string(word) + "'", "a register r0 to r7");
    }
    return word[1] - '0';
  }

  int location(std::string_view word, std::size_t at) {
    const bool is_reserved =
        value_of(call_names, word).has_value() ||
        std::any_of(statement_names.begin(), statement_names.end(),
                    [&](std::string_view name) { return is_word(word, name); });
    if (word.empty() || is_reserved || register_number(word, at) != none) {
      fail(at, found(at), "the name of a location, which is no register and no instruction");
    }
    const auto known = std::find(result_.locations.begin(), result_.locations.end(), word);
    if (known != result_.locations.end()) {
      return static_cast<int>(known - result_.locations.begin());
    }
    result_.locations.emplace_back(word);
    result_.initial.push_back(0);
    uses_.emplace_back();
    return static_cast<int>(result_.locations.size()) - 1;
  }

  int parse_location() {
    skip_space();
    const std::size_t at = at_;
    return location(accept_word(), at);
  }

  memory_order parse_order(std::string_view allowed) {
    skip_space();
    const std::size_t at = at_;
    const std::string_view word = accept_word();
    const auto order = value_of(order_names, word);
    if (!order || !is_in_list(allowed, word)) {
      fail(at, found(at), "a memory order: " + std::string(allowed));
    }
    return *order;
  }

  void note_use(int location, memory_order order, std::size_t at) {
    location_use& use = uses_[static_cast<std::size_t>(location)];
    (order == memory_order::plain ? use.plain : use.atomic) = true;
    if (!use.plain || !use.atomic) return;
    const std::string& name = result_.locations[static_cast<std::size_t>(location)];
    fail(at, "both plain (.na) and atomic accesses of '" + name + "'",
         "a location to be used in one of the two ways only");
  }

  // ---- expressions

  operand parse_operand() {
    skip_space();
    const std::size_t at = at_;
    operand what;
    const std::string_view word = accept_word();
    if (word.empty()) {
      what.constant = parse_number<std::int64_t>("a register or a number of 64 bits");
      return what;
    }
    what.base = register_number(word, at);
    if (what.base == none) fail(at, found(at), "a register or a number");
    const bool is_sum = accept("+");
    skip_space();
    const bool is_negative = at_ < text_.size() && text_[at_] == '-';
    if (is_sum && is_negative) fail(at_, found(at_), "a number");
    if (is_sum || is_negative) what.constant = parse_number<std::int64_t>("a number of 64 bits");
    return what;
  }

  comparison parse_comparison() {
    for (const auto& entry : comparison_names) {
      if (accept(entry.name)) return entry.value;
    }
    fail(at_, found(at_), "a comparison: ==, !=, <, <=, >, >=");
  }

  void parse_condition(instruction& into) {
    expect("(");
    into.left = parse_operand();
    into.relation = parse_comparison();
    into.right = parse_operand();
    expect(")");
  }

  // ---- instructions

  void parse_initial_values() {
    while (!accept("::")) {
      skip_space();
      const std::size_t at = at_;
      const std::size_t known = result_.locations.size();
      const auto index = static_cast<std::size_t>(parse_location());
      if (index < known) fail(at, "a second " + found(at), "one initial value a location");
      expect("=");
      result_.initial[index] = parse_number<std::int64_t>("a number of 64 bits");
      if (!accept(";") && !accept(",") && !text_.substr(at_).starts_with("::")) {
        fail(at_, found(at_), "';' or '::'");
      }
    }
  }

  void parse_thread(std::vector<instruction>& thread) {
    while (true) {
      skip_space();
      if (at_ == text_.size() || text_[at_] == '|') return;
      if (accept(";")) continue;
      thread.push_back(parse_instruction());
      skip_space();
      if (at_ < text_.size() && text_[at_] != '|') expect(";", "';', '|' or the end of the text");
    }
  }

  instruction parse_instruction() {
    const std::size_t at = at_;
    const std::string_view word = accept_word();
    if (word.empty()) {
      fail(at, found(at),
           "an instruction: a load, a store, a register, a call such as add(x,1).rlx, fence, if, "
           "assume, assert, spawn or join");
    }
    instruction result;
    if (const int target = register_number(word, at); target != none) {
      expect("=");
      result = parse_value();
      result.result = target;
    } else if (const auto call = value_of(call_names, word)) {
      result = parse_call(*call);
    } else if (word == "fence") {
      expect(".");
      result.kind = operation::fence;
      result.order = parse_order(fence_orders);
    } else if (word == "if") {
      result.kind = operation::skip_if;
      parse_condition(result);
      expect("skip", "'skip' and the number of instructions");
      result.count = parse_number<int>("the number of instructions to skip");
      if (result.count < 0) fail(at, "a skip backwards", "a skip of 0 or more instructions");
    } else if (word == "assume" || word == "assert") {
      result.kind = word == "assume" ? operation::assume : operation::check;
      parse_condition(result);
    } else if (word.size() > 5 && is_word(word, "spawn")) {
      result = thread_instruction(operation::spawn, word.substr(5), at);
    } else if (word.size() > 4 && is_word(word, "join")) {
      result = thread_instruction(operation::join, word.substr(4), at);
    } else {
      result = parse_access(word, at);
    }
    return result;
  }

  // Behind `r0=`.
  instruction parse_value() {
    skip_space();
    const std::size_t at = at_;
    const std::string_view word = accept_word();
    if (word.empty() || register_number(word, at) != none) {
      at_ = at;
      instruction result;
      result.kind = operation::assign;
      result.left = parse_operand();
      return result;
    }
    if (const auto call = value_of(call_names, word)) return parse_call(*call);
    const instruction result = parse_access(word, at);
    if (result.kind == operation::store) {
      fail(at, "a store to " + found(at), "a value: a load, a call, a register or a number");
    }
    return result;
  }

  instruction parse_access(std::string_view word, std::size_t at) {
    instruction result;
    result.location = location(word, at);
    expect(".");
    skip_space();
    const std::size_t order_at = at_;
    result.order = parse_order(access_orders);
    const bool is_store = accept("=");
    const std::string allowed(is_store ? store_orders : load_orders);
    if (!is_in_list(allowed, name_in(order_names, result.order))) {
      fail(order_at, found(order_at),
           "a memory order of a " + std::string(is_store ? "store: " : "load: ") + allowed);
    }
    result.kind = is_store ? operation::store : operation::load;
    if (is_store) result.left = parse_operand();
    note_use(result.location, result.order, at);
    return result;
  }

  instruction parse_call(operation kind) {
    instruction result;
    result.kind = kind;
    expect("(");
    skip_space();
    const std::size_t at = at_;
    if (kind == operation::choice) {
      result.count = parse_number<int>("the number of values to choose from");
      if (result.count < 1) fail(at, found(at), "1 or more values to choose from");
      expect(")");
      return result;
    }
    result.location = parse_location();
    if (kind == operation::await) {
      result.relation = parse_comparison();
      result.left = parse_operand();
    } else if (kind != operation::pick && kind != operation::await_decrement) {
      expect(",");
      result.left = parse_operand();
      if (kind == operation::compare_exchange || kind == operation::await_exchange) {
        expect(",");
        result.right = parse_operand();
      }
    }
    expect(")");
    expect(".");
    result.order = parse_order(kind == operation::await ? atomic_load_orders : update_orders);
    if (kind == operation::compare_exchange) {
      result.failure_order =
          accept("/") ? parse_order(atomic_load_orders) : default_failure_order(result.order);
    }
    note_use(result.location, result.order, at);
    return result;
  }

  // Threads that come later in the text may be named, so the number is checked at the end.
  instruction thread_instruction(operation kind, std::string_view digits, std::size_t at) {
    instruction result;
    result.kind = kind;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), result.count);
    if (error != std::errc()) fail(at, found(at), "the number of a thread");
    const int thread = static_cast<int>(result_.threads.size()) - 1;
    references_.push_back({kind, thread, result.count, at});
    return result;
  }

  void check_thread_numbers() const {
    const int last = static_cast<int>(result_.threads.size()) - 1;
    std::vector<bool> is_spawned(result_.threads.size());
    for (const thread_reference& reference : references_) {
      if (reference.target > last || reference.target == reference.thread) {
        fail(reference.at, found(reference.at),
             "the number of another thread, 0 to " + std::to_string(last));
      }
      if (reference.kind != operation::spawn) continue;
      const auto target = static_cast<std::size_t>(reference.target);
      if (is_spawned[target]) {
        fail(reference.at, "a second " + found(reference.at), "at most one spawn of a thread");
      }
      is_spawned[target] = true;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  program result_;
  std::vector<location_use> uses_;  // one a location
  std::vector<thread_reference> references_;
};

}  // namespace

parse_error::parse_error(const std::string& line, std::size_t column)
    : std::runtime_error(line), column_(column) {}

program parse(std::string_view text) { return parser(text).run(); }

std::int64_t evaluate(const operand& what, const register_file& registers) {
  if (what.base == none) return what.constant;
  const std::int64_t base = registers[static_cast<std::size_t>(what.base)];
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(base) +
                                   static_cast<std::uint64_t>(what.constant));
}

bool holds(comparison relation, std::int64_t left, std::int64_t right) {
  switch (relation) {
    case comparison::equal:
      return left == right;
    case comparison::not_equal:
      return left != right;
    case comparison::less:
      return left < right;
    case comparison::less_equal:
      return left <= right;
    case comparison::greater:
      return left > right;
    case comparison::greater_equal:
      return left >= right;
  }
  return false;
}

}  // namespace heddle::litmus
