#include "formats/page/page_threads.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/placeholders.h"

namespace jprof {
namespace {

using profile::Profile;
using profile::SampleTable;

// "[12 other threads]": the number in place of the placeholder's N.
std::string WithNumber(Placeholder placeholder, size_t number) {
  std::string text(Text(placeholder));
  return text.replace(text.find('N'), 1, std::to_string(number));
}

std::string NameOf(const Profile& profile, uint32_t thread) {
  if (!profile.ThreadName(thread).empty()) return profile.ThreadName(thread);
  const bool is_virtual = profile.threads()[thread].is_virtual;
  return std::string(Text(is_virtual ? Placeholder::kVirtualThreads : Placeholder::kUnknownThread));
}

}  // namespace

PageThreads::PageThreads(const Profile& profile, const SampleTable& table) {
  std::vector<uint64_t> entries(profile.threads().size());
  table.ForEach([&](uint32_t group, uint32_t /*stack*/, const SampleTable::WeightSum& /*sum*/) {
    ++entries[table.groups()[group].thread];
  });
  std::map<std::string, uint64_t> weights;
  for (uint32_t i = 0; i < entries.size(); ++i) weights[NameOf(profile, i)] += entries[i];
  std::vector<std::pair<uint64_t, std::string>> order;
  for (const auto& [name, weight] : weights) order.emplace_back(weight, name);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::map<std::string, uint32_t> numbers;
  for (const auto& [weight, name] : order) {
    const size_t number = std::min(names.size(), kMaxThreads);
    if (names.size() < kMaxThreads) names.push_back(name);
    if (names.size() == kMaxThreads && number == kMaxThreads) {
      names.push_back(WithNumber(Placeholder::kOtherThreads, order.size() - kMaxThreads));
    }
    numbers[name] = static_cast<uint32_t>(number);
  }
  counts.resize(names.size());
  for (uint32_t i = 0; i < entries.size(); ++i) {
    of_thread.push_back(numbers[NameOf(profile, i)]);
    if (entries[i] != 0) ++counts[of_thread.back()];
  }
}

PageStates::PageStates(const Profile& profile, const SampleTable& table) {
  std::array<bool, SampleTable::kMaxStates> is_used = {};
  for (const SampleTable::Group& group : table.groups()) is_used[group.state] = true;
  for (uint32_t state = 0; state < is_used.size(); ++state) {
    if (!is_used[state]) continue;
    place[state] = static_cast<uint32_t>(names.size());
    names.push_back(profile.states[state]);
  }
}

}  // namespace jprof
