// RootBudget: bounds how far the walk of a synchronous sample goes towards the root of its stack.
//
// A synchronous sample is taken on the program's own thread, for an event of the program, and the
// thread waits until the sample is taken. So the cost of the sample must not grow with the depth of
// the stack. The first frames, the leaf, are always walked. The time for further frames is paid
// from an account. The first choice is the thread's own account, which gets 1/kThreadShare of the
// thread's CPU time. If the credit there is too small, as in threads that mostly wait, the account
// of the process pays. That account gets 1/kProcessShare of one processor's time. If neither
// account has enough credit, the walk ends after the leaf. The sample is recorded with its whole
// weight in any case; only its stack is shorter (docs/adr/0016).
//
// Async-signal-safe. One object for each walk, on the walked thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "sigsafe/threads/thread_slot.h"

namespace jprof {

class RootBudget {
 public:
  static constexpr uint32_t kLeafFrames = 256;
  static constexpr Nanos kThreadShare = 32;
  static constexpr Nanos kProcessShare = 100;
  // The maximum time that an account can save up. It is also the longest time for which a walk is
  // expected to delay its thread.
  static constexpr Nanos kMostNs = 2'000'000;
  // The least credit from which a walk is paid. A smaller credit is saved up for a later walk, so
  // that the later walk can reach the root.
  static constexpr Nanos kLeastNs = 1'000'000;
  // The expected cost of a frame: the number of granted frames is the credit divided by this cost.
  // The walk pays its actual cost.
  static constexpr Nanos kFrameNs = 100;

  // `leaf_frames` is the number of frames that are walked in any case. REQUIRES: leaf_frames >= 1.
  RootBudget(ThreadSlot& thread, uint32_t leaf_frames)
      : thread_(thread), leaf_frames_(leaf_frames) {}
  RootBudget(const RootBudget&) = delete;
  RootBudget& operator=(const RootBudget&) = delete;

  uint32_t leaf_frames() const { return leaf_frames_; }

  // Returns the number of frames that the walk may take beyond its leaf; 0 if the walk has to end.
  // Called once, after the leaf.
  uint32_t GrantFrames();

  // Pays for the frames beyond the leaf. Called once, at the end of the walk.
  void Pay();

 private:
  ThreadSlot& thread_;
  const uint32_t leaf_frames_;
  std::atomic<Nanos>* account_ = nullptr;  // the account that pays; nullptr if none does
  Nanos share_ = 0;                        // kThreadShare or kProcessShare
  Nanos granted_at_ns_ = 0;                // time of the grant on the account's clock
  Nanos begin_cpu_ns_ = 0;
};

}  // namespace jprof
