// ComparisonSums counts the results of comparisons, and keeps examples of wrong stacks.
//
// Thread-safe; not for handlers.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "engines/validate/judge.h"
#include "sigsafe/base/types.h"
#include "sigsafe/validation/comparison_kinds.h"

namespace jprof {

struct ComparisonKey {
  Layer layer;
  JudgedWalker walker;
  Tier tier;
  Verdict verdict;

  auto operator<=>(const ComparisonKey&) const = default;
};

struct Difference {
  ComparisonKey key;
  Nanos time_ns = 0;
  uint64_t pc = 0;
  std::string instruction;  // the code around `pc`
  std::string truth;        // the true stack, a frame a line, callee first
  std::string walked;       // the walked stack, likewise
};

class ComparisonSums {
 public:
  // The number of examples that are kept of each sort.
  static constexpr uint64_t kExamples = 10;

  // Counts a result. Returns true if an example of the result is wanted.
  bool Add(const ComparisonKey& key);
  void AddExample(Difference difference);
  // Counts frames of walked stacks, of which `left_out` are not probed.
  void AddFrames(uint64_t frames, uint64_t left_out);

  // Returns the counts since the last call.
  std::map<ComparisonKey, uint64_t> TakeCounts();
  std::vector<Difference> TakeExamples();

  struct Totals {
    std::array<uint64_t, kVerdictCount> of_ours = {};  // our walker, from signals
    uint64_t frames = 0;
    uint64_t left_out = 0;
  };
  Totals Sum() const;

 private:
  mutable std::mutex mutex_;  // guards all below
  std::map<ComparisonKey, uint64_t> all_;
  std::map<ComparisonKey, uint64_t> taken_;
  std::vector<Difference> examples_;
  Totals totals_;
};

}  // namespace jprof
