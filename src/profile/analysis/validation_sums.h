// ValidationSums adds up the results of comparisons of stacks: the events profiler.StackValidation.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "jfr/reader/jfr_schema.h"
#include "profile/profile_event.h"

namespace jprof {

// One comparison (engines/validate/comparison_sums.h), as the recording names its parts.
struct ComparisonRow {
  std::string layer;
  std::string walker;
  std::string tier;

  auto operator<=>(const ComparisonRow&) const = default;
};

struct ValidationSum {
  uint64_t judged = 0;                       // stacks that were compared
  uint64_t wrong = 0;                        // of these, wrong ones
  std::map<std::string, uint64_t> verdicts;  // all stacks, by verdict

  void Add(const ValidationSum& other);
  // Returns the share of wrong stacks; 0 if none were compared.
  double Rate() const {
    return judged == 0 ? 0 : static_cast<double>(wrong) / static_cast<double>(judged);
  }
  // Returns a text such as "equal 98, missing 2".
  std::string VerdictText() const;
};

class ValidationSums {
 public:
  static bool IsOfSums(const profile::RecordedType& type);

  // Adds an event. REQUIRES: IsOfSums is true for its type.
  void OnEvent(const profile::ProfileEvent& event);

  const std::map<ComparisonRow, ValidationSum>& rows() const { return rows_; }

  // Returns first the sums of all tiers, whose tier is "all", and then those of each tier. Stacks
  // from signals come first, and among those of the same layer jprof's.
  std::vector<std::pair<ComparisonRow, ValidationSum>> Table() const;

  // Returns the sum of our walker's stacks from signals.
  ValidationSum OfOurs() const;

 private:
  std::map<ComparisonRow, ValidationSum> rows_;
};

}  // namespace jprof
