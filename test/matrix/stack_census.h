// StackCensus: how whole the stacks of a recording are, counted over the samples of one kind.
//
// A sample belongs to a Java thread if its thread has a Java name. What stands for time that no
// signal has met (before the first sample, after the last) is no walk and not counted. A walk is
//   rooted   if nothing in its stack says that it has ended early, and its outermost frame is a
//            method by which threads enter Java, or native code: then it has no Java frame
//   unknown  if a Java method or code that the JVM generated stands in it without a name
// One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"

namespace jprof::test {

struct StackCensus {
  uint64_t samples = 0;                      // all threads
  uint64_t walks = 0;                        // of Java threads
  uint64_t rooted = 0;                       // of walks
  uint64_t unknown = 0;                      // of walks
  std::map<std::string, uint64_t> failures;  // of walks that are not rooted or unknown

  double RootedPercent() const;
  double UnknownPercent() const;
};

Result<StackCensus> TakeStackCensus(const std::string& recording, const std::string& kind);

}  // namespace jprof::test
