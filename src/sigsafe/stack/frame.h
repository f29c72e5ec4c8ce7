// Frame: one entry of a call stack, without names. Frames have 16 bytes and are compared byte by
// byte.
// WalkOutcome: the reason why a stack, or a part of it, is missing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sigsafe/base/sample_kinds.h"
#include "sigsafe/base/types.h"

namespace jprof {

// Generated from the table walk_outcome.def.
enum class WalkOutcome : uint32_t {
#define WALK_OUTCOME(name, code, frame) name,
#include "sigsafe/stack/walk_outcome.def"
#undef WALK_OUTCOME
};

inline constexpr const char* kWalkOutcomeFrames[] = {
#define WALK_OUTCOME(name, code, frame) frame,
#include "sigsafe/stack/walk_outcome.def"
#undef WALK_OUTCOME
};

inline constexpr size_t kWalkOutcomeCount =
    sizeof kWalkOutcomeFrames / sizeof kWalkOutcomeFrames[0];

constexpr const char* FrameName(WalkOutcome outcome) {
  return kWalkOutcomeFrames[static_cast<size_t>(outcome)];
}

// Returns the outcome for a num_frames <= 0 of AsyncGetCallTrace. Async-signal-safe.
constexpr WalkOutcome OutcomeOfCode(int32_t code) {
  switch (code) {
#define WALK_OUTCOME(name, number, frame) \
  case number:                            \
    return WalkOutcome::name;
#include "sigsafe/stack/walk_outcome.def"
#undef WALK_OUTCOME
    default:
      return WalkOutcome::kUnknownCode;
  }
}

enum class FrameKind : uint32_t {
  // id: that of a method, or a jmethodID (hotspot/java_method.h); bci: bytecode index, -1 if unknown.
  // The execution mode is unknown.
  kJava,
  kInterpreted,  // as kJava, but in the interpreter
  kC1Compiled,   // as kJava, but compiled by C1
  kC2Compiled,   // as kJava, but compiled by C2
  kInlined,      // as kJava, but inlined into the next frame that is not kInlined
  kJavaNative,   // id: as for kJava, of a native method; bci: -1
  kStub,         // id: an address in a stub that the VM generated; bci: -1
  kNative,       // id: an address in a library; bci: -1
  kKernel,       // id: an address in the kernel; bci: -1
  kOutcome,      // id: WalkOutcome, the reason why frames are missing here; bci: -1
  kContext,      // not in stacks: a word of a trace context (sampling/context_reader.h)
};

struct Frame {
  uint64_t id;
  int32_t bci;
  FrameKind kind;

  friend bool operator==(const Frame&, const Frame&) = default;
};

static_assert(sizeof(Frame) == 16, "frames are compared and hashed as bytes: no padding");

constexpr bool IsJava(const Frame& frame) { return frame.kind <= FrameKind::kJavaNative; }

inline Frame NativeFrame(Pc pc) { return {Value(pc), -1, FrameKind::kNative}; }
inline Frame OutcomeFrame(WalkOutcome outcome) {
  return {static_cast<uint64_t>(outcome), -1, FrameKind::kOutcome};
}

}  // namespace jprof
