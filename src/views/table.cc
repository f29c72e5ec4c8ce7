#include "views/table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <string_view>

#include "base/printable_text.h"
#include "formats/json_writer.h"
#include "formats/output_stream.h"
#include "formats/text_sums.h"

namespace jprof {
namespace {

constexpr size_t kGap = 2;         // blanks between columns
constexpr size_t kNarrowest = 12;  // the least width to which a column can be cut
constexpr std::string_view kDots = "…";

std::string TextOfCell(const Column& column, const Cell& cell) {
  const std::string text = PrintableText(cell.text, Layout::kEscape);
  if (column.form != ValueForm::kText) return text;
  return std::string(2 * static_cast<size_t>(cell.number), ' ') + text;
}

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

size_t WidthOf(std::string_view text) {
  return text.size() - static_cast<size_t>(std::ranges::count_if(text, IsContinuation));
}

// Returns the first `count` characters of the text.
std::string_view FirstOf(std::string_view text, size_t count) {
  size_t end = 0;
  while (end < text.size() && (count > 0 || IsContinuation(text[end]))) {
    if (!IsContinuation(text[end])) --count;
    ++end;
  }
  while (end > 0 && end < text.size() && IsContinuation(text[end])) ++end;
  return text.substr(0, end);
}

std::string Fitted(const std::string& text, size_t width, Cut cut) {
  const size_t given = WidthOf(text);
  if (given <= width) return text;
  if (cut == Cut::kEnd) return std::string(FirstOf(text, width - 1)) + std::string(kDots);
  return std::string(kDots) + text.substr(FirstOf(text, given - width + 1).size());
}

// Reduces the widths of columns of texts until a line has at most `limit` characters. `widths` has
// the width of the widest cell of each column.
std::vector<size_t> FittedWidths(std::vector<size_t> widths, const std::vector<Column>& columns,
                                 size_t limit) {
  if (limit == 0 || widths.empty()) return widths;
  size_t total = std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
  while (total > limit) {
    size_t widest = widths.size();
    for (size_t i = 0; i < widths.size(); ++i) {
      const bool is_text = columns[i].form == ValueForm::kText && widths[i] > kNarrowest;
      if (is_text && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
    }
    if (widest == widths.size()) break;
    --widths[widest];
    --total;
  }
  return widths;
}

std::string Line(const std::vector<std::string>& cells, const std::vector<Column>& columns,
                 const std::vector<size_t>& widths) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    const std::string text = Fitted(cells[i], widths[i], columns[i].cut);
    const std::string blanks(widths[i] - std::min(WidthOf(text), widths[i]), ' ');
    const bool is_left = columns[i].form == ValueForm::kText;
    line += is_left ? text + blanks : blanks + text;
    line.append(kGap, ' ');
  }
  return line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
}

std::string Upper(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

std::string MoreRows(size_t count) {
  return std::to_string(count) + (count == 1 ? " more row" : " more rows");
}

void WriteText(const Table& table, size_t width, OutputStream& out) {
  if (!table.title.empty()) out.Text(PrintableText(table.title, Layout::kEscape) + "\n\n");
  if (table.rows.empty()) {
    out.Text(PrintableText(table.if_empty, Layout::kEscape) + '\n');
    return;
  }
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> lines(1 + table.rows.size());
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    if (column.is_for_json) continue;
    columns.push_back(column);
    lines[0].push_back(Upper(PrintableText(column.label, Layout::kEscape)));
    for (size_t row = 0; row < table.rows.size(); ++row) {
      lines[row + 1].push_back(TextOfCell(column, table.rows[row][i]));
    }
  }
  std::vector<size_t> widths(columns.size());
  for (const auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], WidthOf(line[i]));
  }
  widths = FittedWidths(std::move(widths), columns, width);
  for (const auto& line : lines) out.Text(Line(line, columns, widths));
  if (table.left_out + table.not_kept != 0) out.Text("\n");
  if (table.left_out != 0) out.Text(MoreRows(table.left_out) + "; --limit 0 shows all\n");
  if (table.not_kept != 0) out.Text(MoreRows(table.not_kept) + " than the view keeps\n");
}

void WriteJson(const Table& table, OutputStream& out) {
  JsonWriter json(out);
  json.BeginObject();
  json.Text("title", table.title);
  json.BeginArray("rows");
  for (const std::vector<Cell>& row : table.rows) {
    json.BeginObject();
    for (size_t i = 0; i < row.size(); ++i) {
      json.Key(table.columns[i].name);
      if (table.columns[i].form == ValueForm::kText) {
        json.Text(row[i].text);
      } else if (table.columns[i].form == ValueForm::kBoolean) {
        json.Bool(row[i].number != 0);
      } else if (!std::isfinite(row[i].number)) {
        json.Null();
      } else {
        json.Decimal(row[i].number);
      }
    }
    json.EndObject();
  }
  json.EndArray();
  json.Number("leftOut", table.left_out + table.not_kept);
  json.EndObject();
  out.Text("\n");
}

}  // namespace

Cell TextCell(std::string text, size_t indentation) {
  return {std::move(text), static_cast<double>(indentation)};
}

Cell NumberCell(ValueForm form, double number) { return {TextOf(form, number), number}; }

Cell ShareCell(double part, double total) {
  return NumberCell(ValueForm::kFraction, total == 0 ? 0 : part / total);
}

Cell SmallShareCell(double share) {
  char text[32];
  snprintf(text, sizeof text, "%.4g %%", 100 * share);
  return {text, share};
}

Cell ErrorCell(double estimate, double variance) {
  return {ErrorText(estimate, variance), std::sqrt(variance)};
}

Status Arrange(const TableOptions& options, Table& table) {
  if (!options.sort.empty()) {
    const auto column = std::ranges::find(table.columns, options.sort, &Column::name);
    if (column == table.columns.end()) {
      std::string names;
      for (const Column& each : table.columns) names += (names.empty() ? "" : ", ") + each.name;
      return Error("There is no column '" + options.sort + "' to sort by: there are " + names +
                   ".");
    }
    const auto index = static_cast<size_t>(column - table.columns.begin());
    const bool is_text = column->form == ValueForm::kText;
    const auto number = [index](const std::vector<Cell>& row) {
      constexpr double kLast = -std::numeric_limits<double>::infinity();
      return std::isnan(row[index].number) ? kLast : row[index].number;
    };
    std::ranges::stable_sort(table.rows, [&](const auto& a, const auto& b) {
      return is_text ? a[index].text < b[index].text : number(a) > number(b);
    });
  }
  if (options.limit != 0 && table.rows.size() > options.limit) {
    table.left_out += table.rows.size() - options.limit;
    table.rows.resize(options.limit);
  }
  return {};
}

void WriteTable(const Table& table, const TableOptions& options, OutputStream& out) {
  if (options.is_json) {
    WriteJson(table, out);
  } else {
    WriteText(table, options.width, out);
  }
}

}  // namespace jprof
