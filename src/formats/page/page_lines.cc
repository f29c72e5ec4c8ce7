#include "formats/page/page_lines.h"

#include <algorithm>
#include <utility>

namespace jprof {

using profile::Profile;
using profile::ProfileFrame;

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

}  // namespace jprof
