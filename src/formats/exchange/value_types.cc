#include "formats/exchange/value_types.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/placeholders.h"
#include "formats/credible_time.h"

namespace jprof {
namespace {

using profile::SampleKind;
using profile::SampleUnit;

struct ValueTypeRow {
  std::string_view kind, count, value;
};
constexpr ValueTypeRow kRows[] = {
#define VALUE_TYPES(kind, count, value) {kind, count, value},
#include "formats/exchange/value_types.def"
};

const ValueTypeRow& RowOf(std::string_view kind) {
  const ValueTypeRow* row = kRows;
  while (!row->kind.empty() && row->kind != kind) ++row;
  return *row;
}

}  // namespace

RecordedSpan::RecordedSpan(const profile::Profile& profile)
    : start_ns(CredibleTime(profile.start_ns)),
      duration_ns(std::max<int64_t>(CredibleTime(profile.end_ns) - start_ns, 0)) {}

std::string FunctionName(const profile::Profile& profile, uint32_t method) {
  const std::string name = profile.MethodText(method);
  return name.empty() ? std::string(Text(Placeholder::kUnknownMethod)) : name;
}

ValueTypes::ValueTypes(const SampleKind& kind) {
  const ValueTypeRow& row = RowOf(kind.name);
  count = row.count;
  is_interval = kind.unit == SampleUnit::kSamples && kind.interval_ns > 0;
  if (kind.unit == SampleUnit::kSamples && !is_interval) return;
  value = row.value;
  unit = kind.unit == SampleUnit::kBytes ? "bytes" : "nanoseconds";
}

uint64_t ValueTypes::CountOf(const SampleKind& kind, uint64_t samples, double objects) {
  constexpr double kMostObjects = 9e18;  // readers have signed values
  if (!kind.HasObjects()) return samples;
  return static_cast<uint64_t>(std::llround(std::min(objects, kMostObjects)));
}

uint64_t ValueTypes::ValueOf(const SampleKind& kind, uint64_t samples, uint64_t weight) const {
  if (!is_interval) return weight;
  // Readers have signed values.
  constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  const auto interval_ns = static_cast<uint64_t>(kind.interval_ns);
  return samples > kMost / interval_ns ? kMost : samples * interval_ns;
}

uint64_t ValueTypes::PeriodOf(const SampleKind& kind) const {
  return unit == "nanoseconds" && kind.interval_ns > 0 ? static_cast<uint64_t>(kind.interval_ns)
                                                       : 1;
}

}  // namespace jprof
