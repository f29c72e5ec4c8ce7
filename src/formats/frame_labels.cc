#include "formats/frame_labels.h"

#include <map>
#include <utility>

namespace jprof {

FrameLabels::FrameLabels(const profile::Profile& profile, const Field& field) {
  std::map<std::string, std::vector<uint32_t>> frames_by_text;
  for (uint32_t i = 0; i < profile.frames().size(); ++i) {
    const profile::ProfileFrame& frame = profile.frames()[i];
    std::string text = profile.FrameText(i);
    if (frame.line != 0) text += ':' + std::to_string(frame.line);
    frames_by_text[field(std::move(text), frame)].push_back(i);
  }
  of_frame.resize(profile.frames().size());
  for (const auto& [text, frames] : frames_by_text) {
    for (const uint32_t frame : frames) of_frame[frame] = static_cast<uint32_t>(texts.size());
    texts.push_back(text);
  }
}

}  // namespace jprof
