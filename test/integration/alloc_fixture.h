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

  // The slack for a program with objects both in and outside of TLABs. Before JDK 25 the JVM itself
  // samples objects in TLABs too often and the others too seldom (JDK-8356372).
  double SlackOfMixed() const { return jdk().major >= 25 ? kSlack : 0.4; }

  // Expects that the weights of a recording add up to the bytes that the JVM has counted, in
  // whatever groups the calibration puts the threads.
  static void ExpectSumIsTheCount(const Recording& recording);

  // Expects the estimate within `slack` of the truth and four standard errors; prints both.
  void ExpectTrue(const std::string& what, const AllocationEstimate& estimate, double truth,
                  double slack = kSlack) const;

  // The bytes that short threads allocated in total, and our estimate. The samples of these threads
  // depend on each other.
  struct ShortThreads {
    double bytes = 0;
    AllocationEstimate estimate;
  };

  // Expects that the estimate of one site or class, which allocated `truth` bytes, is likely. Its
  // expected number of independent draws is its share of those that `threads` had. The standard
  // error of its own samples is not used: a site with few draws has few samples or none.
  void ExpectTrueShare(const std::string& what, const AllocationEstimate& estimate, double truth,
                       const ShortThreads& threads) const;

  // Runs AllocationTruth. Compares each site, and the class that two sites allocate, with the
  // truth. For `long` the slack is SlackOfMixed().
  Recording ExpectTrueSums(const std::string& options, double interval,
                           const std::vector<std::string>& arguments,
                           const std::vector<std::string>& jvm_arguments = {}) const;

  // Runs AllocationParks, which needs JDK 21, and compares each site, without the class.
  Recording ExpectTrueSumsOfParks(const std::string& options, double interval,
                                  const std::vector<std::string>& arguments,
                                  const std::vector<std::string>& jvm_arguments = {}) const;

  // Returns the weight of the events that have a marker in place of a stack.
  static double BytesOfMarker(const Recording& recording, const std::string& marker);
};

}  // namespace jprof::test
