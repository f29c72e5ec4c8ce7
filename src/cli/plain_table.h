// PlainTable: a table of text columns with titles, as `jprof list` prints.
//
// Thread-safe: no state.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/printable_text.h"

namespace jprof {

template <typename Row>
struct TableColumn {
  std::string_view title;
  std::string (*text)(const Row&);
};

// Returns a line of titles and a line for each row. Columns are as wide as their longest text.
// Control characters are shown as escapes.
template <typename Row>
std::string PlainTable(std::span<const TableColumn<Row>> columns, const std::vector<Row>& rows) {
  std::vector<std::vector<std::string>> lines(1);
  for (const auto& column : columns) lines[0].emplace_back(column.title);
  for (const Row& row : rows) {
    lines.emplace_back();
    for (const auto& column : columns) {
      lines.back().push_back(PrintableText(column.text(row), Layout::kEscape));
    }
  }
  std::string table;
  std::vector<size_t> widths(columns.size());
  for (const auto& cells : lines) {
    for (size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  for (const auto& cells : lines) {
    for (size_t i = 0; i < cells.size(); ++i) {
      table += cells[i];
      if (i + 1 < cells.size()) table.append(widths[i] - cells[i].size() + 2, ' ');
    }
    table += '\n';
  }
  return table;
}

}  // namespace jprof
