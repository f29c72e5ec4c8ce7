// Table: rows and columns of a view, as text that fits a terminal or as JSON. One thread.
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

// A text and the number that it shows: columns of numbers are sorted by that, and JSON has it. In a
// column of texts the number is how far the text is indented on a terminal.
using Cell = profile::EventValue;
using profile::ValueForm;

// Of a text that is too long for a terminal: what is left out.
enum class Cut : uint8_t { kEnd, kFront };

struct Column {
  std::string name;  // of the member in JSON, and for --sort
  std::string label;
  ValueForm form = ValueForm::kText;
  Cut cut = Cut::kEnd;
  bool is_for_json = false;  // and not for people
};

struct Table {
  std::string title;  // a line above it
  std::vector<Column> columns = {};
  std::vector<std::vector<Cell>> rows = {};  // as many cells as columns
  std::string if_empty = {};                 // what the lack of rows means
  size_t left_out = 0;                       // rows beyond the limit
  size_t not_kept = 0;                       // rows that no limit shows: there are too many
};

Cell TextCell(std::string text, size_t indentation = 0);
Cell NumberCell(ValueForm form, double number);
// "25.0 %" of `total`; 0 of none.
Cell ShareCell(double part, double total);
// "± 3.1 %", with the standard error in the unit of the estimate as its number. Of a variance that
// is not known no number: null in JSON, and the last when sorted.
Cell ErrorCell(double estimate, double variance);

// Sorts by `options.sort`, texts from a to z and numbers from the largest on, and keeps
// `options.limit` rows. Fails for a column that is not there.
Status Arrange(const TableOptions& options, Table& table);

void WriteTable(const Table& table, const TableOptions& options, OutputStream& out);

}  // namespace jprof
