// JsonRows parses the rows of a view's JSON for tests.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace jprof::test {

using JsonRow = std::map<std::string, std::string>;

// Returns the rows of a view's JSON. A row maps the name of a member to its value as a text without
// quotes. REQUIRES: the values are numbers, booleans, null, or texts without escapes.
inline std::vector<JsonRow> JsonRows(const std::string& json) {
  std::vector<JsonRow> rows;
  size_t at = json.find("\"rows\":[") + 8;
  while (at < json.size() && json[at] == '{') {
    JsonRow row;
    while (json[at] != '}') {
      const size_t name = json.find('"', at) + 1;
      const size_t colon = json.find("\":", name);
      const bool is_text = json[colon + 2] == '"';
      const size_t begin = colon + (is_text ? 3 : 2);
      const size_t end = json.find_first_of(is_text ? "\"" : ",}", begin);
      row[json.substr(name, colon - name)] = json.substr(begin, end - begin);
      at = end + (is_text ? 1 : 0);
    }
    rows.push_back(row);
    at += json[at + 1] == ',' ? 2 : 1;
  }
  return rows;
}

}  // namespace jprof::test
