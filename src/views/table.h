// Table has the rows and columns of a view. WriteTable writes it as text that fits a terminal, or
// as JSON. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/format_row.h"
#include "profile/analysis/event_rows.h"

namespace jprof {

class OutputStream;

// A text and a number. In a column of numbers, the text shows the number; the column is sorted by
// the numbers, and they are its values in JSON. In a column of texts, the number is the indentation
// of the text on a terminal.
using Cell = profile::EventValue;
using profile::ValueForm;

// The end at which a text is cut if it is too wide for the terminal.
enum class Cut : uint8_t { kEnd, kFront };

struct Column {
  std::string name;  // name of the member in JSON, and of the column for --sort
  std::string label;
  ValueForm form = ValueForm::kText;
  Cut cut = Cut::kEnd;
  bool is_for_json = false;  // true: the column is only in JSON
};

struct Table {
  std::string title;  // line above the table
  std::vector<Column> columns = {};
  std::vector<std::vector<Cell>> rows = {};  // one cell per column in each row
  std::string if_empty = {};                 // text that explains why there are no rows
  size_t left_out = 0;                       // number of rows beyond the user's limit
  size_t not_kept = 0;                       // number of rows that the view dropped to save memory
};

Cell TextCell(std::string text, size_t indentation = 0);
Cell NumberCell(ValueForm form, double number);
// Returns a cell that shows `part` as a share of `total`: "25.00 %", or "0.00 %" if `total` is 0.
Cell ShareCell(double part, double total);
// Returns a cell that shows a share, which can be very small: "0.003447 %".
Cell SmallShareCell(double share);
// Returns a cell that shows the standard error of `estimate` as "± 3.1 %". The number of the cell
// is the error in the unit of the estimate. If the variance is unknown, the number is NaN, which
// becomes null in JSON and comes last when rows are sorted.
Cell ErrorCell(double estimate, double variance);

// Sorts the rows by the column `options.sort`, and keeps the first `options.limit` rows. Texts are
// in ascending order, numbers in descending order. Fails if there is no column with this name.
Status Arrange(const TableOptions& options, Table& table);

void WriteTable(const Table& table, const TableOptions& options, OutputStream& out);

}  // namespace jprof
