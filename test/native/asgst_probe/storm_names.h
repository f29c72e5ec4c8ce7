// StormNames: checks the names and the order of the frames of the program WalkedStorm, which
// redefines and unloads the classes of these frames.
//
// Async-signal-safe, thread-safe.
#pragma once

#include <atomic>
#include <string>

#include "native/asgst_probe/api.h"

namespace jprof::test {

class StormNames {
 public:
  explicit StormNames(const Api& api) : api_(api) {}

  // Takes all frames of the iterator, and checks them. Returns the last result of ASGST_NextFrame.
  int Check(ASGST_Iterator* iterator);

  std::string Text() const;

 private:
  static constexpr int kNameBytes = 64;
  static constexpr size_t kExampleBytes = 8192;

  struct Names {
    char declaring[kNameBytes];
    char method[kNameBytes];
  };
  // Returns false if the method has no names.
  bool Find(ASGST_Method method, Names* names) const;
  // Checks a frame of WalkedStepsA. `callee` is the number of the step that the frame has called;
  // kNoStep if the frame has called another method. Returns the number of its own step; kNoStep if
  // its method is not one of the steps.
  int CheckStep(const ASGST_Frame& frame, const Names& names, int callee, bool* is_wrong);
  bool IsWrongThrowaway(const Names& names);
  // Keeps the stack, if it is the first one with a wrong frame.
  void Keep(ASGST_Iterator* iterator);

  const Api& api_;
  // relaxed: counts that are read after the last handler
  std::atomic<uint64_t> frames_{0};
  std::atomic<uint64_t> unnamed_{0};
  std::atomic<uint64_t> wrong_{0};        // stacks with a wrong frame
  std::atomic<uint64_t> steps_{0};        // frames of WalkedStepsA
  std::atomic<uint64_t> calls_{0};        // frames of WalkedStepsA that have called the next step
  std::atomic<uint64_t> other_lines_{0};  // calls on a line that is not the one of the call
  std::atomic<uint64_t> throwaways_{0};   // frames of classes that are unloaded
  // The first stack with a wrong frame. Written once, by the thread that has changed `has_example_`.
  std::atomic<bool> has_example_{false};
  char example_[kExampleBytes] = "";
};

}  // namespace jprof::test
