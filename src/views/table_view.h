// TableView: a view that is a table: the FormatWriter that the views are made of. One thread.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "formats/format_row.h"
#include "views/table.h"

namespace jprof {

// The makers of the views that views.def names.

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
    if (arranged) WriteTable(table.value(), options_, out);
    return arranged;
  }

 protected:
  virtual Result<Table> MakeTable(const profile::Profile& profile,
                                  const FormatContext& context) = 0;

  const TableOptions& options() const { return options_; }

 private:
  const TableOptions options_;
};

// How weights of this kind are shown.
ValueForm FormOf(const profile::SampleKind& kind, profile::Weigh weigh);

// Columns for a weight: its share, itself, and its standard error if `has_error`. In JSON
// "selfShare", "self" and "selfError" of the name "self".
void AddWeightColumns(const std::string& name, const std::string& label, ValueForm form,
                      bool has_error, Table& table);

struct Weight {
  double value = 0;
  double variance = 0;  // of an estimate
};

// The cells for these columns.
void AddWeight(const Weight& weight, double whole, ValueForm form, bool has_error,
               std::vector<Cell>& row);

// "cpu: 309 samples of --thread main"; without a kind "no samples".
std::string TitleOf(const profile::Profile& profile, const FormatContext& context);

}  // namespace jprof
