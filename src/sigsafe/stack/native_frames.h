// NativeFrames: walks one part of a stack, namely consecutive frames in code of libraries.
//
// Async-signal-safe. One object for each walk, about 1 KiB. After a part has ended, the same object
// can begin a later part of the same stack.
#pragma once

#include <ucontext.h>

#include <optional>

#include "sigsafe/native/native_cursor.h"
#include "sigsafe/stack/frame.h"
#include "sigsafe/stack/walk_context.h"

namespace jprof {

struct CodeRangeLimits {
  uint64_t low = 0;
  uint64_t high = 0;  // exclusive; 0 if there is no such code

  bool Contains(uint64_t pc) const { return pc - low < high - low; }
};

enum class NativeStep : uint8_t {
  kFrame,      // frame() is the next frame
  kReached,    // the part ends, because the last frame's caller, at registers(), is in `until`
  kOutermost,  // the part ends, because the last frame was the thread's outermost one
  kLost,       // the part ends, because the caller of the last frame cannot be determined
};

class NativeFrames {
 public:
  // The part ends before the first frame in `until`. In mode kNo the frames of the part are
  // skipped: Step returns only how the part ends. `faults` is that of StackMemory.
  NativeFrames(const NativeCode& code, StackMode mode, const StackBounds& stack, LoadFaults faults,
               const CodeRangeLimits& until)
      : code_(code), mode_(mode), stack_(stack), faults_(faults), until_(until) {}
  NativeFrames(const NativeFrames&) = delete;
  NativeFrames& operator=(const NativeFrames&) = delete;

  // Begins at interrupted code: start.pc is the next instruction. `interrupted` has all registers
  // at start.pc; nullptr if only the registers in `start` are known.
  void BeginInterrupted(const NativeRegisters& start, const ucontext_t* interrupted);

  // Begins at a calling frame: start.pc is a return address.
  void BeginAtCall(const NativeRegisters& start);

  // Steps to the next frame, callee first; the first step is to the frame at `start`. REQUIRES: a
  // Begin function has been called, and the part has not ended.
  NativeStep Step();

  const Frame& frame() const { return frame_; }

  // True if all frames of the part so far were found by unwind rules. Otherwise a frame pointer
  // might have led past frames, or to something that is not a frame.
  bool follows_rules() const { return follows_rules_; }

  // True if a frame of this or an earlier part lies in code that has no unwind table, and for which
  // no rule was found.
  bool lacks_tables() const { return lacks_tables_; }

  // True if registers().pc is an interrupted instruction, not a return address.
  bool is_interrupted() const { return cursor_->is_interrupted(); }

  // The registers of frame(), or, after kReached, of its caller.
  const NativeRegisters& registers() const { return cursor_->registers(); }

 private:
  NativeStep ToCaller();
  StepOutcome CursorToCaller();
  void Begin();
  bool IsNoCode(uint64_t pc) const;

  const NativeCode& code_;
  const StackMode mode_;
  const StackBounds stack_;
  const LoadFaults faults_;
  const CodeRangeLimits until_;
  int steps_ = 0;  // steps since the part began
  bool follows_rules_ = true;
  bool lacks_tables_ = false;
  Frame frame_ = {};
  std::optional<StackMemory> memory_;
  std::optional<NativeCursor> cursor_;
};

}  // namespace jprof
