// PageFrames: the methods of the page, by owner and name. Overloads are one method, and so is a
// method that ran in several ways: the tree holds how often it ran in each way. One thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

#include "profile/profile.h"

namespace jprof {

struct PageFrames {
  // Owner and name as texts of the page, 1 for a symbol of native code.
  using Key = std::tuple<uint32_t, uint32_t, uint64_t>;
  std::vector<Key> frames;
  std::vector<uint32_t> of_frame;               // by frame of the profile
  std::vector<std::string_view> owners, names;  // of the profile, ascending

  explicit PageFrames(const profile::Profile& profile);
};

}  // namespace jprof
