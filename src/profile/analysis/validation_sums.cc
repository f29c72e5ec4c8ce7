#include "profile/analysis/validation_sums.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <tuple>

#include "jfr/format/jfr_types.h"

namespace jprof {
namespace {

constexpr std::string_view kAllTiers = "all";
// The order of rows, by their texts.
constexpr std::string_view kLayers[] = {"signal", "safepoint", "probes"};
constexpr std::string_view kWalkers[] = {"jprof", "AsyncGetCallTrace"};
constexpr std::string_view kTiers[] = {"interpreted", "C1", "C2", "native"};

// Returns the place of the text; the number of texts if it is none of them.
template <size_t kCount>
size_t PlaceIn(const std::string_view (&texts)[kCount], std::string_view text) {
  return static_cast<size_t>(std::ranges::find(texts, text) - std::begin(texts));
}

}  // namespace

void ValidationSum::Add(const ValidationSum& other) {
  judged += other.judged;
  wrong += other.wrong;
  for (const auto& [verdict, stacks] : other.verdicts) verdicts[verdict] += stacks;
}

std::string ValidationSum::VerdictText() const {
  std::string text;
  for (const auto& [verdict, stacks] : verdicts) {
    text += (text.empty() ? "" : ", ") + verdict + ' ' + std::to_string(stacks);
  }
  return text;
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

std::vector<std::pair<ComparisonRow, ValidationSum>> ValidationSums::Table() const {
  std::map<ComparisonRow, ValidationSum> all_tiers;
  for (const auto& [row, sum] : rows_)
    all_tiers[{row.layer, row.walker, std::string(kAllTiers)}].Add(sum);
  std::vector<std::pair<ComparisonRow, ValidationSum>> table(all_tiers.begin(), all_tiers.end());
  table.insert(table.end(), rows_.begin(), rows_.end());
  const auto place = [](const auto& entry) {
    const ComparisonRow& row = entry.first;
    return std::tuple(row.tier != kAllTiers, PlaceIn(kLayers, row.layer),
                      PlaceIn(kWalkers, row.walker), PlaceIn(kTiers, row.tier));
  };
  std::ranges::stable_sort(table, {}, place);
  return table;
}

ValidationSum ValidationSums::OfOurs() const {
  ValidationSum ours;
  for (const auto& [row, sum] : rows_) {
    if (row.layer == "signal" && row.walker == "jprof") ours.Add(sum);
  }
  return ours;
}

}  // namespace jprof
