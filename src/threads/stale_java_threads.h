// StaleJavaThreads: the threads that detached from the JVM while the Java threads of a starting
// sampler's start were being listed. Their entries in JVMTI's list are out of date and must be
// ignored.
//
// Part of ThreadRoster, guarded by its lock.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "sigsafe/base/types.h"

namespace jprof {

class StaleJavaThreads {
 public:
  void BeginListing() {
    left_.clear();
    is_listing_ = true;
  }
  void EndListing() {
    left_ = {};
    is_listing_ = false;
  }

  void Entered(Tid tid) { left_.erase(Value(tid)); }
  void Left(Tid tid) {
    if (is_listing_) left_.insert(Value(tid));
  }

  bool Contains(Tid tid) const { return left_.count(Value(tid)) != 0; }

 private:
  std::unordered_set<int32_t> left_;
  bool is_listing_ = true;
};

}  // namespace jprof
