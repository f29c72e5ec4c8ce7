#include "profile/analysis/validation_sums.h"

#include "jfr/format/jfr_types.h"

namespace jprof {

void ValidationSum::Add(const ValidationSum& other) {
  judged += other.judged;
  wrong += other.wrong;
  for (const auto& [verdict, stacks] : other.verdicts) verdicts[verdict] += stacks;
}

bool ValidationSums::IsOfSums(const profile::RecordedType& type) {
  return type.name == JfrName(JfrType::kStackValidation);
}

void ValidationSums::OnEvent(const profile::ProfileEvent& event) {
  const profile::JfrEvent& fields = event.event;
  const auto stacks = static_cast<uint64_t>(fields.Field("stacks").Long());
  ValidationSum sum;
  if (fields.Field("judged").Long() != 0) sum.judged = stacks;
  if (fields.Field("wrong").Long() != 0) sum.wrong = stacks;
  sum.verdicts[fields.Field("verdict").String()] = stacks;
  rows_[{fields.Field("layer").String(), fields.Field("walker").String(),
         fields.Field("tier").String()}]
      .Add(sum);
}

ValidationSum ValidationSums::OfOurs() const {
  ValidationSum ours;
  for (const auto& [row, sum] : rows_) {
    if (row.layer == "signal" && row.walker == "jprof") ours.Add(sum);
  }
  return ours;
}

}  // namespace jprof
