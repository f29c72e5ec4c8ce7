// FrameLabels: the texts by which frames are merged for people: frames of equal texts have one
// label. The input of MergedTree. Plain data; one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "profile/profile.h"

namespace jprof {

struct FrameLabels {
  std::vector<std::string> texts;  // by label, each once, ascending
  std::vector<uint32_t> of_frame;  // label of a frame

  // `field`: the text as the format writes it, made of "java.util.HashMap.get", or
  // "java.util.HashMap.get:57" where the profile has lines.
  using Field = std::function<std::string(std::string text, const profile::ProfileFrame& frame)>;
  FrameLabels(const profile::Profile& profile, const Field& field);
};

}  // namespace jprof
