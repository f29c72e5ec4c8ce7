#include "profile/analysis/validation_differences.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "jfr/format/jfr_types.h"

namespace jprof {
namespace {

constexpr char kOthers[] = "(others)";

auto WalkerOf(const DifferenceGroup& group) {
  return std::tie(group.layer, group.walker, group.is_wrong);
}

}  // namespace

bool ValidationDifferences::IsOfDifferences(const profile::RecordedType& type) {
  return type.name == JfrName(JfrType::kStackValidation) ||
         type.name == JfrName(JfrType::kStackDifference);
}

DifferenceGroup* ValidationDifferences::FindGroup(const profile::JfrEvent& event) {
  DifferenceGroup group{event.Field("layer").String(), event.Field("walker").String(),
                        event.Field("verdict").String(), event.Field("tier").String(),
                        event.Field("cause").String()};
  // Only stacks that differ have a cause.
  if (group.cause.empty()) return nullptr;
  std::string key;
  for (const std::string& part :
       {group.layer, group.walker, group.verdict, group.tier, group.cause}) {
    key += part + '\0';
  }
  const auto found = groups_.find(key);
  if (found != groups_.end()) return &found->second;
  if (groups_.size() == kMostGroups) {
    group.cause = kOthers;
    key = kOthers;
  }
  return &groups_.try_emplace(std::move(key), std::move(group)).first->second;
}

void ValidationDifferences::OnEvent(const profile::ProfileEvent& event) {
  const profile::JfrEvent& fields = event.event;
  DifferenceGroup* const group = FindGroup(fields);
  if (group == nullptr) return;
  if (fields.type().name == JfrName(JfrType::kStackValidation)) {
    group->stacks += static_cast<uint64_t>(fields.Field("stacks").Long());
    group->is_wrong |= fields.Field("wrong").Long() != 0;
    return;
  }
  if (group->example.is_known() || bytes_ > kMostBytes) return;
  group->example = {fields.Field("instruction").String(), fields.Field("trueStack").WholeString(),
                    fields.Field("walkedStack").WholeString()};
  bytes_ += group->example.true_stack.size() + group->example.walked_stack.size();
}

std::vector<DifferenceGroup> ValidationDifferences::Commonest() const {
  std::vector<const DifferenceGroup*> order;
  for (const auto& [key, group] : groups_) order.push_back(&group);
  std::ranges::stable_sort(order, [](const DifferenceGroup* a, const DifferenceGroup* b) {
    return std::tie(b->is_wrong, a->layer, a->walker, b->stacks) <
           std::tie(a->is_wrong, b->layer, b->walker, a->stacks);
  });
  std::vector<DifferenceGroup> commonest;
  size_t of_walker = 0;
  for (const DifferenceGroup* group : order) {
    if (group->stacks == 0) continue;
    const bool is_same = !commonest.empty() && WalkerOf(commonest.back()) == WalkerOf(*group);
    of_walker = is_same ? of_walker + 1 : 1;
    if (of_walker <= kMostOfWalker) {
      commonest.push_back(*group);
    } else if (of_walker == kMostOfWalker + 1) {
      commonest.push_back(
          {group->layer, group->walker, "", "", kOthers, group->is_wrong, group->stacks});
    } else {
      commonest.back().stacks += group->stacks;
    }
  }
  return commonest;
}

}  // namespace jprof
