// MethodSums: the samples of each kind summed by method, for texts of methods. The stacks are
// needed only until Add: memory is that of the methods. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "profile/profile.h"
#include "profile/sample_table.h"

namespace jprof {

// What a method did itself, and what the stacks weigh that it is on, however often.
struct MethodSum {
  uint64_t self = 0, total = 0;
  double self_variance = 0, total_variance = 0;  // of them as estimates
};

class MethodSums {
 public:
  struct OfKind {
    std::map<std::string, MethodSum> methods;  // by printable text
    uint64_t all = 0;                          // the weight of all samples
  };

  // Adds the sums of the table, whose stacks are those of the profile now.
  // REQUIRES: samples of one kind are in tables of one Weigh.
  void Add(const profile::Profile& profile, const profile::SampleTable& table);

  // The sums of the kind, with the variances that it has when all samples are known.
  OfKind Of(const profile::SampleKind& kind, uint32_t number) const;

 private:
  std::map<uint32_t, OfKind> kinds_;  // the variances are the sums of those of the samples
};

}  // namespace jprof
