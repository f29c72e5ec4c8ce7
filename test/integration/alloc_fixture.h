// AllocTest: recordings of sampled allocations (engines/alloc), compared with the bytes that the
// program knows, by the JVM's own count.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "support/jvm/jvm_test.h"

namespace jprof::test {

inline constexpr char kAllocated[] = "profiler.AllocatedObject";
inline constexpr char kAllocationSample[] = "jdk.ObjectAllocationSample";
inline constexpr char kCalibration[] = "profiler.AllocationCalibration";

// Sums of kAllocated, in bytes.
struct AllocationEstimate {
  double bytes = 0;     // calibrated
  double variance = 0;  // of that, bytes^2
  double unscaled = 0;  // by JEP 331's rule alone
  int64_t samples = 0;

  // `interval`: of the recording, in bytes.
  void Add(const Event& event, double interval);
  void Add(const AllocationEstimate& other);
  double error() const;
};

class AllocTest : public JvmTest {
 protected:
  using Estimates = std::map<std::string, AllocationEstimate>;

  // By the innermost frame's method.
  static Estimates ByMethod(const Recording& recording, double interval);
  static Estimates ByClass(const Recording& recording, double interval);

  static constexpr double kSlack = 0.01;

  // Of objects in and outside of TLABs together: before JDK 25 the JVM itself samples the former
  // too often and the latter too seldom (JDK-8356372).
  double SlackOfMixed() const { return jdk().major >= 25 ? kSlack : 0.4; }

  // The weights of a recording add up to what the JVM has counted, however its threads are grouped.
  static void ExpectSumIsTheCount(const Recording& recording);

  // Within `slack` of the truth and four standard errors; prints both.
  void ExpectTrue(const std::string& what, const AllocationEstimate& estimate, double truth,
                  double slack = kSlack) const;

  // Threads whose samples depend on each other, which have allocated so many bytes in all.
  struct ShortThreads {
    double bytes = 0;
    AllocationEstimate estimate;
  };

  // Within what is likely for the share of independent draws that so many of the bytes have. A site
  // with few draws has few samples, or none, whose own error tells nothing.
  void ExpectTrueShare(const std::string& what, const AllocationEstimate& estimate, double truth,
                       const ShortThreads& threads) const;

  // Runs AllocationTruth, and compares each site, and the class that two sites make. The slack is
  // that of mixed objects for `long`.
  Recording ExpectTrueSums(const std::string& options, double interval,
                           const std::vector<std::string>& arguments,
                           const std::vector<std::string>& jvm_arguments = {}) const;

  // The same of AllocationParks, which needs JDK 21, without the class.
  Recording ExpectTrueSumsOfParks(const std::string& options, double interval,
                                  const std::vector<std::string>& arguments,
                                  const std::vector<std::string>& jvm_arguments = {}) const;

  // The weight of the events in place of a stack.
  static double BytesOfMarker(const Recording& recording, const std::string& marker);
};

}  // namespace jprof::test
