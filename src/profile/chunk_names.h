// ChunkNames: threads and stacks of one chunk, from the keys in its events to the numbers of the
// profile. Each is decoded once a chunk, at its first event. Part of ReadSamples; one thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/jfr/jfr_value.h"
#include "profile/profile.h"

namespace jprof::profile {

// Whether frames that differ only in their line are one frame.
enum class LineNumbers : uint8_t { kKeep, kDrop };

class ChunkNames {
 public:
  // REQUIRES: both outlive this.
  ChunkNames(JfrChunk& chunk, Profile& profile, LineNumbers lines);

  // `type`: that of the field which held the key.
  uint32_t Thread(uint32_t type, uint64_t key);
  uint32_t Stack(uint32_t type, uint64_t key);
  // `stack` with the class as its innermost frame.
  uint32_t WithClass(uint32_t stack, uint32_t type, uint64_t key);

  // Stacks of which the chunk says nothing.
  int64_t missing_stacks() const { return missing_stacks_; }

 private:
  struct FrameFields {
    int method = -1, line = -1, type = -1;  // indices of fields
    uint32_t method_type = 0, kind_type = 0;
  };

  void FindFrameFields(uint32_t stack_type);
  uint32_t DecodeStack(uint32_t type, uint64_t key);
  // `node` with frames_ below it.
  uint32_t WithFrames(uint32_t node);
  bool ReadFrames(ByteCursor cursor, const JfrType& stack, bool* truncated);
  uint32_t ReadFrame(ByteCursor& cursor);
  uint32_t Method(uint64_t key);
  FrameKind Kind(uint64_t key);
  // Its package is the owner.
  uint32_t ClassAsMethod(uint32_t type, uint64_t key);
  uint32_t MarkerFrame(std::string_view text);

  JfrChunk& chunk_;
  Profile& profile_;
  const LineNumbers lines_;
  int64_t missing_stacks_ = 0;
  uint32_t known_stack_type_ = 0xFFFFFFFF;  // the one that frame_ was found in
  const JfrType* frame_type_ = nullptr;
  FrameFields frame_;
  std::array<uint8_t, 32> kinds_{};  // by key of the frame type: kind + 1; 0: not asked for yet
  std::vector<uint32_t> frames_;     // of the stack being decoded, innermost first
  uint32_t last_root_ = CallTree::kRoot;
  std::vector<uint32_t> last_path_;  // nodes of the last stack below last_root_
  uint32_t no_thread_ = 0;           // number + 1
};

}  // namespace jprof::profile
