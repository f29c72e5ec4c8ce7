// AllocTest: compares recordings of sampled allocations (engines/alloc) with the bytes that the
// program knows from the JVM's own count.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "support/jvm/jvm_test.h"

namespace jprof::test {

inline constexpr char kAllocated[] = "profiler.AllocatedObject";
inline constexpr char kAllocationSample[] = "jdk.ObjectAllocationSample";
inline constexpr char kCalibration[] = "profiler.AllocationCalibration";

// Sums over events of kAllocated, in bytes.
struct AllocationEstimate {
  double bytes = 0;     // calibrated bytes
  double variance = 0;  // variance of `bytes`, bytes^2
  double unscaled = 0;  // bytes by JEP 331's rule alone
  int64_t samples = 0;

  // Adds one event. `interval` is the sampling interval of the recording, in bytes.
  void Add(const Event& event, double interval);
  void Add(const AllocationEstimate& other);
  double error() const;
};

class AllocTest : public JvmTest {
 protected:
  using Estimates = std::map<std::string, AllocationEstimate>;

  // Return the estimates by the innermost frame's method, and by the object's class.
  static Estimates ByMethod(const Recording& recording, double interval);
  static Estimates ByClass(const Recording& recording, double interval);

  static constexpr double kSlack = 0.01;

  // The slack for objects in and outside of TLABs together: before JDK 25 the JVM itself samples
  // the former too often and the latter too seldom (JDK-8356372).
  double SlackOfMixed() const { return jdk().major >= 25 ? kSlack : 0.4; }

  // Expects that the weights of a recording add up to what the JVM has counted, however its threads
  // are grouped.
  static void ExpectSumIsTheCount(const Recording& recording);

  // Expects the estimate within `slack` of the truth and four standard errors; prints both.
  void ExpectTrue(const std::string& what, const AllocationEstimate& estimate, double truth,
                  double slack = kSlack) const;

  // Threads whose samples depend on each other: the bytes that they allocated in all, and the
  // estimate.
  struct ShortThreads {
    double bytes = 0;
    AllocationEstimate estimate;
  };

  // Expects the estimate within what is likely for independent draws, of which it has the share
  // that `truth` has of all bytes. The error of the samples themselves is useless here: a site with
  // few draws has few samples or none.
  void ExpectTrueShare(const std::string& what, const AllocationEstimate& estimate, double truth,
                       const ShortThreads& threads) const;

  // Runs AllocationTruth and compares each site, and the class that two sites allocate. The slack
  // is SlackOfMixed() for `long`.
  Recording ExpectTrueSums(const std::string& options, double interval,
                           const std::vector<std::string>& arguments,
                           const std::vector<std::string>& jvm_arguments = {}) const;

  // Runs AllocationParks, which needs JDK 21, and compares each site; not the class.
  Recording ExpectTrueSumsOfParks(const std::string& options, double interval,
                                  const std::vector<std::string>& arguments,
                                  const std::vector<std::string>& jvm_arguments = {}) const;

  // Returns the weight of the events that have a marker in place of a stack.
  static double BytesOfMarker(const Recording& recording, const std::string& marker);
};

}  // namespace jprof::test
