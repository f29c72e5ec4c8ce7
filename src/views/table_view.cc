#include "views/table_view.h"

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

std::string TitleOf(const profile::Profile& profile, const FormatContext& context) {
  std::string title = "no samples";
  if (context.kind) {
    const SampleKind& kind = profile.kinds[*context.kind];
    title = kind.name + ": " + std::to_string(kind.samples) + " samples";
    if (kind.unit != SampleUnit::kSamples) {
      const ValueForm form = FormOf(kind, profile::Weigh::kValue);
      title += ", " + TextOf(form, static_cast<double>(kind.value));
    }
  }
  for (const std::string& part : context.selection) title += " " + part;
  return title;
}

}  // namespace jprof
