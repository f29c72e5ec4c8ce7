// ExactShares compares the shares of samples that methods have with the shares of time that probes
// have measured (the events profiler.ExactTime).
//
// Shares are those of the time in any of the measured methods. A sample of a virtual thread does
// not count, because probes do not measure virtual threads.
//
// A sample in the probes of a method, before or after they have read the clock, may count for the
// method or not. So the share of samples has two values, with and without these samples; it agrees
// with the exact share if the exact share lies between the two, or within the sampling error of
// one of them.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/proportion.h"
#include "jfr/reader/jfr_schema.h"
#include "profile/analysis/packed_samples.h"
#include "profile/profile.h"
#include "profile/profile_event.h"

namespace jprof {

// The time and the calls of a method, as probes have measured them.
struct ExactTimeOfMethod {
  profile::Interval window{};
  uint64_t calls = 0;
  int64_t cpu_ns = 0;
  int64_t elapsed_ns = 0;
  std::string left_out;  // why the method is not compared; empty if it is
};

struct ComparedShare {
  std::string method;  // "com.acme.Shop.order(I)V"; empty for all methods together
  ExactTimeOfMethod exact = {};
  // The share of the time, and of the samples. For all methods together, the time is a share of
  // itself, and the share of the samples is the time that they stand for, divided by the time.
  double exact_share = 0;
  double sampled_share = 0;
  double samples = 0;
  double in_probes = 0;  // the samples that may count or not
  double error = 0;      // standard error of the sampled share
  double deviation = 0;  // difference of the shares in standard errors; above 0: too many samples
  ProportionBounds off = {};  // the difference of the shares, without sign, by the interval
};

class ExactShares {
 public:
  // If all samples are right, the probability that the difference of any method lies outside of its
  // interval (ComparedShare::off) is less than this.
  static constexpr double kDoubt = 0.00001;

  static bool IsOfTimes(const profile::RecordedType& type);

  // REQUIRES: IsOfTimes is true for the type of the event.
  void OnEvent(const profile::ProfileEvent& event);
  void OnSample(const profile::Sample& sample) { samples_.Add(sample); }

  // Returns the comparisons with the samples of a kind: first all methods together, then the
  // methods that were called, sampled or left out, those with the largest exact share first. Returns
  // nothing if the recording has no exact times, or if they are 0.
  std::vector<ComparedShare> Compare(const profile::Profile& profile, uint32_t kind) const;

 private:
  std::map<std::string, ExactTimeOfMethod> times_;
  profile::PackedSamples samples_;
};

}  // namespace jprof
