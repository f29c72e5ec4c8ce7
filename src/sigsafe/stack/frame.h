// Frame: one entry of a call stack, without names. 16 bytes, compared bytewise: two stacks are
// equal if all their frames are.
#pragma once

#include <cstdint>

#include "sigsafe/base/lost_reason.h"
#include "sigsafe/base/types.h"
#include "sigsafe/stack/walk_outcome.h"

namespace jprof {

enum class FrameKind : uint32_t {
  kJava,         // id: jmethodID; bci: bytecode index, -1 unknown; execution mode unknown
  kInterpreted,  // as kJava, in the interpreter
  kC1Compiled,   // as kJava, compiled by C1
  kC2Compiled,   // as kJava, compiled by C2
  kInlined,      // as kJava, inlined into the next compiled frame
  kJavaNative,   // id: jmethodID of a native method; bci: -1
  kStub,         // id: an address in a stub that the VM generated; bci: -1
  kNative,       // id: an address in a library; bci: -1
  kKernel,       // id: an address in the kernel; bci: -1
  kOutcome,      // id: WalkOutcome, why the stack ends here; bci: -1
  kContext,      // in no stack: a word of a trace context (sigsafe/context)
};

struct Frame {
  uint64_t id;
  int32_t bci;
  FrameKind kind;
};

static_assert(sizeof(Frame) == 16, "frames are compared and hashed as bytes: no padding");

inline Frame NativeFrame(Pc pc) { return {Value(pc), -1, FrameKind::kNative}; }
inline Frame OutcomeFrame(WalkOutcome outcome) {
  return {static_cast<uint64_t>(outcome), -1, FrameKind::kOutcome};
}

}  // namespace jprof
