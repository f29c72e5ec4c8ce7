// AgctCalls makes the calls of AsyncGetCallTrace, one at a time. While a call is being made, a note
// says at which stack. The note is in memory that is mapped from a file, so it outlives a JVM that
// the call kills.
//
//   AgctCall call(calls);                  no other call is being made from here on
//   if (call) call.BeginNote(...).Append("stack\n")...;
//   call.Run(...)                          the note is in the file until the call returns
//
// The note has a line for each fact: a word, a space, and the fact. The facts of the last word,
// "stack", are the lines after it. The file begins with a 0 while no call is being made.
//
// Async-signal-safe. A thread that is interrupted in a call makes no second one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sigsafe/memory/region.h"
#include "sigsafe/stack/asgct_walker.h"
#include "sigsafe/stack/stack_walker.h"
#include "sigsafe/validation/bounded_text.h"
#include "sigsafe/validation/comparison_kinds.h"
#include "sigsafe/validation/interrupted_code.h"

namespace jprof {

class AgctCalls {
 public:
  static constexpr size_t kNoteBytes = 16 * 1024;

  // `note` is zeroed. REQUIRES: it has kNoteBytes, and outlives all calls.
  explicit AgctCalls(Region note) : note_(note) {}

 private:
  friend class AgctCall;

  const Region note_;
  std::atomic_flag is_calling_;  // acquire when a call begins, release when it has ended
};

class AgctCall {
 public:
  // The number of frames in a note.
  static constexpr uint32_t kFrames = 16;

  explicit AgctCall(AgctCalls& calls);
  ~AgctCall();
  AgctCall(const AgctCall&) = delete;
  AgctCall& operator=(const AgctCall&) = delete;

  // False if another call is being made: no call is allowed.
  explicit operator bool() const { return has_begun_; }

  // Begins the note with the thread, the layer and the tier. Returns the text, to which the caller
  // appends further lines. REQUIRES: the call is allowed.
  BoundedText& BeginNote(Layer layer, Tier tier);

  // Calls AsyncGetCallTrace (WalkByAsgct). REQUIRES: BeginNote was called.
  AsgctResult Run(AsgctFunction function, void* jni_env, void* context, AsgctFrame* frames,
                  uint32_t depth);

 private:
  AgctCalls& calls_;
  const bool has_begun_;
  BoundedText text_;
};

// Appends "com.acme.Shop.order(I)V @ 12 inlined" for each of the innermost Java frames.
void AppendStack(const Stack& stack, BoundedText& text);

}  // namespace jprof
