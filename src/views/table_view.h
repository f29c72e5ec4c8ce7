// TableView is the base class of all views. It is a FormatWriter that makes a Table. This file also
// declares the functions that make the views of views.def, and functions for columns of weights.
// Not thread-safe.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/printable_text.h"
#include "formats/format_row.h"
#include "formats/output_stream.h"
#include "views/table.h"

namespace jprof {

// Declares the functions that views.def names. Each function makes the writer of one view.
#define VIEW(name, kinds, make, help) \
  std::unique_ptr<FormatWriter> make(const FormatOptions& options);
#include "views/views.def"
#undef VIEW

class TableView : public FormatWriter {
 public:
  explicit TableView(TableOptions options) : options_(std::move(options)) {}

  Status Write(const profile::Profile& profile, const FormatContext& context,
               OutputStream& out) final {
    Result<Table> table = MakeTable(profile, context);
    if (!table) return table.error();
    const Status arranged = Arrange(options_, table.value());
    if (!arranged) return arranged;
    WriteTable(table.value(), options_, out);
    if (!options_.is_json) out.Text(PrintableText(TextBelow(table.value()), Layout::kKeep));
    return {};
  }

 protected:
  virtual Result<Table> MakeTable(const profile::Profile& profile,
                                  const FormatContext& context) = 0;

  // Returns a text that follows the table, unless the table is written as JSON.
  virtual std::string TextBelow(const Table& /*arranged*/) const { return {}; }

  const TableOptions& options() const { return options_; }

 private:
  const TableOptions options_;
};

// Returns the form in which weights of this kind are shown.
ValueForm FormOf(const profile::SampleKind& kind, profile::Weigh weigh);

// Adds the columns for a weight: a column for the share, one for the weight itself and, if
// `has_error` is true, one for the standard error. If `name` is "self", the names of the columns in
// JSON are "selfShare", "self" and "selfError".
void AddWeightColumns(const std::string& name, const std::string& label, ValueForm form,
                      bool has_error, Table& table);

struct Weight {
  double value = 0;
  double variance = 0;  // variance of `value`, if `value` is an estimate
};

// Appends the cells for the columns of AddWeightColumns.
void AddWeight(const Weight& weight, double whole, ValueForm form, bool has_error,
               std::vector<Cell>& row);

// Returns "cpu: 309 samples --thread main"; "no samples" if the context has no kind.
std::string TitleOf(const profile::Profile& profile, const FormatContext& context);

}  // namespace jprof
