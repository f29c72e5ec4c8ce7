#include "formats/page/page_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/placeholders.h"

namespace jprof {
namespace {

using profile::CallTree;
using profile::FrameKind;
using profile::kFrameKindCount;
using profile::Profile;
using profile::ProfileFrame;
using profile::ProfileMethod;
using profile::SampleKind;
using profile::SampleTable;

// Returns the placeholder's text with `number` in place of its N: "[12 other threads]".
std::string WithNumber(Placeholder placeholder, size_t number) {
  std::string text(Text(placeholder));
  return text.replace(text.find('N'), 1, std::to_string(number));
}

std::string NameOf(const Profile& profile, uint32_t thread) {
  if (!profile.ThreadName(thread).empty()) return profile.ThreadName(thread);
  const bool is_virtual = profile.threads()[thread].is_virtual;
  return std::string(Text(is_virtual ? Placeholder::kVirtualThreads : Placeholder::kUnknownThread));
}

// Appends to `texts`, which is empty, the texts that the methods have as the member `member`, in
// ascending order. Returns a list whose element i is the index in `texts` of text i of
// Profile::texts.
std::vector<uint32_t> Sorted(const Profile& profile, uint32_t ProfileMethod::*member,
                             std::vector<std::string_view>& texts) {
  std::vector<uint32_t> ranks(profile.texts.size());
  for (const ProfileMethod& method : profile.methods()) ranks[method.*member] = 1;
  std::vector<uint32_t> used;
  for (uint32_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] != 0) used.push_back(i);
  }
  std::sort(used.begin(), used.end(),
            [&profile](uint32_t a, uint32_t b) { return profile.texts[a] < profile.texts[b]; });
  for (const uint32_t text : used) {
    ranks[text] = static_cast<uint32_t>(texts.size());
    texts.push_back(profile.texts[text]);
  }
  return ranks;
}

static_assert(kFrameKindCount <= 16, "2^32 nodes times the frame kinds make a place");

std::vector<uint32_t> KindsOf(const Profile& profile) {
  std::vector<uint32_t> kinds;
  for (const uint32_t number : profile.KindsInOrder()) {
    const SampleKind& kind = profile.kinds[number];
    // A requested kind without samples is also on the page, with the reason why it has none.
    if (kind.value != 0 || kind.request != 0) kinds.push_back(number);
  }
  return kinds;
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

PageLines::PageLines(const Profile& profile, const std::vector<uint32_t>& of_frame,
                     const MergedTree& tree) {
  const std::vector<ProfileFrame>& frames = profile.frames();
  const bool has_lines = std::any_of(frames.begin(), frames.end(),
                                     [](const ProfileFrame& frame) { return frame.line > 0; });
  if (!has_lines) return;
  std::vector<std::pair<uint32_t, uint32_t>> keys;  // frame of the page, and line
  for (size_t i = 0; i < frames.size(); ++i) {
    keys.emplace_back(of_frame[i], static_cast<uint32_t>(std::max(frames[i].line, 0)));
  }
  std::vector<std::pair<uint32_t, uint32_t>> sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::vector<uint32_t> labels;
  for (const auto& key : keys) {
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), key);
    labels.push_back(static_cast<uint32_t>(at - sorted.begin()));
  }
  MergedTree lines(profile.stacks, labels);
  is_too_large_ = lines.size() > kMaxNodes;
  if (is_too_large_) return;
  std::vector<uint32_t> plain(lines.size());
  for (uint32_t stack = 1; stack < profile.stacks.size(); ++stack) {
    plain[lines.of_stack[stack]] = tree.of_stack[stack];
  }
  for (uint32_t node = 1; node < lines.size(); ++node) {
    numbers_.Add(node - lines.parent[node]);
    numbers_.Add(plain[node] - plain[lines.parent[node]]);
    numbers_.Add(sorted[lines.label[node]].second);
  }
  of_stack_ = std::move(lines.of_stack);
}

PageFrames::PageFrames(const Profile& profile) {
  const auto owner_of = Sorted(profile, &ProfileMethod::owner, owners);
  const auto name_of = Sorted(profile, &ProfileMethod::name, names);
  std::vector<Key> key_of_method;
  for (const ProfileMethod& method : profile.methods()) {
    key_of_method.emplace_back(owner_of[method.owner], name_of[method.name],
                               profile.texts[method.descriptor].empty() ? 1 : 0);
  }
  // Leaves out methods without a frame, because no part of the page refers to them.
  std::map<Key, uint32_t> numbers;
  for (const ProfileFrame& frame : profile.frames()) {
    numbers.emplace(key_of_method[frame.method], 0);
  }
  for (auto& [key, number] : numbers) {
    number = static_cast<uint32_t>(frames.size());
    frames.push_back(key);
  }
  std::vector<uint32_t> of_method;
  for (const Key& key : key_of_method) {
    const auto found = numbers.find(key);
    of_method.push_back(found == numbers.end() ? 0 : found->second);
  }
  of_frame.reserve(profile.frames().size());
  for (const ProfileFrame& frame : profile.frames()) of_frame.push_back(of_method[frame.method]);
}

PageModel::PageModel(const Profile& from, const profile::SampleTable& samples)
    : profile(from),
      table(samples),
      frames(from),
      threads(from, samples),
      states(from, samples),
      tree(from.stacks, frames.of_frame),
      lines(from, frames.of_frame, tree),
      kinds(KindsOf(from)) {}

uint64_t PageModel::PlaceOf(uint32_t stack) const {
  const uint32_t frame = profile.stacks.frame(stack);
  const FrameKind kind =
      stack == CallTree::kRoot ? FrameKind::kMarker : profile.frames()[frame].kind;
  const uint32_t node = lines.IsEmpty() ? tree.of_stack[stack] : lines.node_of_stack(stack);
  return uint64_t{node} * kFrameKindCount + static_cast<uint64_t>(kind);
}

PageCells::PageCells(const std::vector<Group>& groups) : ranks_(groups.size()) {
  std::vector<size_t> order(groups.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto key = [&groups](size_t i) {
    const Group& group = groups[i];
    return std::tuple(group.kind, group.thread, group.state, group.slice);
  };
  std::ranges::sort(order, {}, key);
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || key(order[i]) != key(order[i - 1])) groups_.push_back(groups[order[i]]);
    ranks_[order[i]] = groups_.size() - 1;
  }
}

void PageCells::Sort() { std::ranges::sort(cells_, {}, &GroupCell::key); }

std::vector<PageCells::GroupCell>::const_iterator PageCells::FirstOf(uint32_t kind) const {
  return std::partition_point(cells_.begin(), cells_.end(), [&](const GroupCell& cell) {
    return groups_[cell.key >> PageModel::kPlaceBits].kind < kind;
  });
}

std::string PageCells::ErrorsOf(uint32_t kind) const {
  VarintStream numbers;
  const auto end = FirstOf(kind + 1);
  for (auto at = FirstOf(kind); at != end; ++at) {
    numbers.Add(static_cast<uint64_t>(std::llround(std::sqrt(at->sum.variance))));
  }
  return numbers.Base64();
}

std::string PageCells::Of(uint32_t kind) const {
  VarintStream numbers;
  const auto group_of = [](const GroupCell& cell) { return cell.key >> PageModel::kPlaceBits; };
  auto at = FirstOf(kind);
  while (at != cells_.end() && groups_[group_of(*at)].kind == kind) {
    const uint64_t number = group_of(*at);
    const auto end = std::find_if(at, cells_.end(),
                                  [&](const GroupCell& cell) { return group_of(cell) != number; });
    numbers.Add(groups_[number].thread);
    numbers.Add(groups_[number].state);
    numbers.Add(groups_[number].slice);
    numbers.Add(static_cast<uint64_t>(end - at));
    for (uint64_t last = 0; at != end; ++at) {
      const uint64_t place = at->key & ((uint64_t{1} << PageModel::kPlaceBits) - 1);
      numbers.Add(place - last);
      numbers.Add(at->sum.weight);
      last = place;
    }
  }
  return numbers.Base64();
}

}  // namespace jprof
