// StackCensus: counts how complete the stacks of a recording are, over the samples of one kind.
//
// A sample belongs to a Java thread if its thread has a Java name or is virtual. Markers for time
// without a signal (before the first sample, after the last one) are not walks and not counted. A
// walk is
//   rooted   if its stack has no marker of a walk that ended early, and its outermost frame is a
//            method by which threads enter Java, or native code in a stack without Java frames
//   unknown  if its stack contains a Java method or JVM-generated code without a name
// Used by one thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"

namespace jprof::test {

struct StackCensus {
  uint64_t samples = 0;                      // samples of all threads
  uint64_t walks = 0;                        // walks of Java threads
  uint64_t rooted = 0;                       // walks that are rooted
  uint64_t unknown = 0;                      // walks that are unknown
  std::map<std::string, uint64_t> failures;  // walks that are unrooted or unknown, by reason

  double RootedPercent() const;
  double UnknownPercent() const;
};

Result<StackCensus> TakeStackCensus(const std::string& recording, const std::string& kind);

}  // namespace jprof::test
