// StackCensus: how whole the stacks of a recording are, counted over the samples of CPU time.
//
// A sample belongs to a Java thread if its thread has a Java name. It is
//   rooted   if nothing in its stack says that the walk has ended early, and its outermost frame is
//            a method by which threads enter Java, or native code: then it has no Java frame
//   unknown  if a Java method or code that the JVM generated stands in it without a name
// Samples that were lost are failures too. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"

namespace jprof::test {

struct StackCensus {
  uint64_t samples = 0;                      // all threads
  uint64_t java_samples = 0;                 // of Java threads
  uint64_t rooted = 0;                       // of java_samples
  uint64_t unknown = 0;                      // of java_samples
  std::map<std::string, uint64_t> failures;  // of java_samples that are not rooted or unknown

  double RootedPercent() const;
  double UnknownPercent() const;
};

Result<StackCensus> TakeStackCensus(const std::string& recording);

}  // namespace jprof::test
