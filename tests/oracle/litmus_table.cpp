#include "tests/oracle/litmus_table.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace heddle::oracle {

std::vector<litmus_row> read_litmus_table() {
  const std::string path = std::string(HEDDLE_TEST_DATA) + "/litmus/litmus.tsv";
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<litmus_row> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> fields;
    std::istringstream rest(line);
    for (std::string field; std::getline(rest, field, '\t');) fields.push_back(field);
    if (fields.size() != 7 || (fields[1] != "parked" && fields[1] != "assume")) {
      throw std::runtime_error(path + ": not a row of the table: " + line);
    }
    rows.push_back({fields[0],
                    fields[1] == "parked" ? await_mode::parked : await_mode::assume,
                    fields[2],
                    {fields[3], fields[4], fields[5], fields[6]}});
  }
  return rows;
}

}  // namespace heddle::oracle
