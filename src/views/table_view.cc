#include "views/table_view.h"

#include "formats/text_sums.h"

namespace jprof {

using profile::SampleKind;
using profile::SampleUnit;

ValueForm FormOf(const SampleKind& kind, profile::Weigh weigh) {
  if (weigh == profile::Weigh::kSamples) return ValueForm::kNumber;
  switch (kind.unit) {
    case SampleUnit::kNanos:
      return ValueForm::kDuration;
    case SampleUnit::kBytes:
      return ValueForm::kBytes;
    case SampleUnit::kSamples:
      break;
  }
  return ValueForm::kNumber;
}

void AddWeightColumns(const std::string& name, const std::string& label, ValueForm form,
                      bool has_error, Table& table) {
  table.columns.push_back({name + "Share", label, ValueForm::kFraction});
  table.columns.push_back({name, "", form});
  if (has_error) table.columns.push_back({name + "Error", "", form});
}

void AddWeight(const Weight& weight, double whole, ValueForm form, bool has_error,
               std::vector<Cell>& row) {
  row.push_back(ShareCell(weight.value, whole));
  row.push_back(NumberCell(form, weight.value));
  if (has_error) row.push_back(ErrorCell(weight.value, weight.variance));
}

std::string TitleOf(const profile::Profile& profile, const FormatContext& context) {
  std::string title = "no samples";
  if (context.kind) {
    const SampleKind& kind = profile.kinds[*context.kind];
    title = kind.name + ": " + std::to_string(kind.samples) + " samples";
    if (kind.unit != SampleUnit::kSamples) {
      const ValueForm form = FormOf(kind, profile::Weigh::kValue);
      const auto value = static_cast<double>(kind.value);
      title += ", " + TextOf(form, value);
      if (kind.HasError()) title += " " + ErrorText(value, kind.variance);
    }
  }
  for (const std::string& part : context.selection) title += " " + part;
  return title;
}

}  // namespace jprof
