#include "formats/page/page_frames.h"

#include <algorithm>
#include <map>

namespace jprof {
namespace {

using profile::Profile;
using profile::ProfileFrame;
using profile::ProfileMethod;

// The texts that methods hold in `member`, ascending, and the rank of each by its number.
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

}  // namespace

PageFrames::PageFrames(const Profile& profile) {
  const auto owner_of = Sorted(profile, &ProfileMethod::owner, owners);
  const auto name_of = Sorted(profile, &ProfileMethod::name, names);
  std::vector<Key> key_of_method;
  for (const ProfileMethod& method : profile.methods()) {
    key_of_method.emplace_back(owner_of[method.owner], name_of[method.name],
                               profile.texts[method.descriptor].empty() ? 1 : 0);
  }
  // Methods without a frame, which nothing refers to, are left out.
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

}  // namespace jprof
