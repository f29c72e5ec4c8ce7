// FrameProgram executes the call frame instructions of one function, and returns the unwind rules of
// the function one after the other.
//
// Async-signal-safe; an object is used by one thread, and has about 1 KiB. The instructions are not
// trusted: the code after an unknown instruction gets the rule kUnsupported, and nothing is read
// outside the function's entry.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sigsafe/native/frame_entry.h"
#include "sigsafe/native/frame_state.h"
#include "sigsafe/native/unwind_table.h"

namespace jprof {

struct RuleStart {
  uint64_t address;
  UnwindRule rule;  // holds from `address` on
};

class FrameProgram {
 public:
  // `function` must outlive the program.
  explicit FrameProgram(const FunctionFrame& function);

  // Finds the next rule; returns false if there is none. The first address is function.begin. The
  // addresses ascend, and are less than function.end. An empty function has no rules.
  bool Next(RuleStart* start);

 private:
  // The maximum number of remembered states. Compilers remember one or two at a time.
  static constexpr size_t kMaxRemembered = 4;

  UnwindRule RuleToNextMove();
  void Fail();
  bool ExecuteOne(FrameBytes& code);
  bool ExecuteExtended(uint8_t instruction, FrameBytes& code);
  bool ExecuteCfa(uint8_t instruction, FrameBytes& code);
  bool ExecuteRegister(uint8_t instruction, FrameBytes& code);
  bool Advance(uint64_t delta);
  bool MoveTo(uint64_t location);

  const FunctionFrame& function_;
  FrameBytes code_;  // the instructions that are left: first the shared ones, then the function's
  bool is_initial_ = true;  // code_ has the shared instructions
  bool is_finished_ = false;
  FrameState state_;
  FrameState initial_;  // after the shared instructions
  FrameState remembered_[kMaxRemembered];
  size_t remembered_count_ = 0;
  uint64_t location_;  // the address for which state_ holds
  uint64_t next_;      // the address to which the last instruction has moved
  bool has_previous_ = false;
  UnwindRule previous_;  // the rule that Next has returned last
};

}  // namespace jprof
