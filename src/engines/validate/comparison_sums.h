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

// The code that was interrupted where stacks differ. Empty if they do not.
struct Cause {
  std::string name = {};  // the method, or the VM's name of the code; empty for native code
  uint64_t pc = 0;        // address in code that CauseNames names; 0 if `name` is the name

  auto operator<=>(const Cause&) const = default;
};

struct ComparisonKey {
  Layer layer;
  JudgedWalker walker;
  Tier tier;
  Verdict verdict;
  Cause cause = {};

  auto operator<=>(const ComparisonKey&) const = default;
};

// True if stacks with the verdict differ: they are wrong, or count beside the errors.
constexpr bool IsDifference(Verdict verdict) {
  const VerdictClass sort = kVerdictClasses[static_cast<size_t>(verdict)];
  return sort == VerdictClass::kWrong || sort == VerdictClass::kBeside;
}

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
  // The number of examples that are kept of each sort (a key without its cause), whatever their
  // causes, and the number if each further one is the first of its cause.
  static constexpr uint64_t kExamples = 10;
  static constexpr uint64_t kMostExamples = 50;
  // The number of keys. Results of further keys count for the cause "(others)".
  static constexpr size_t kMostKeys = 10'000;

  // Counts a result. Returns true if an example of the result is wanted.
  bool Add(ComparisonKey key);
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
  struct Examples {
    uint64_t stacks = 0;
    uint64_t wanted = 0;
  };
  std::map<ComparisonKey, Examples> of_sorts_;  // by the key without its cause
  std::vector<Difference> examples_;
  Totals totals_;
};

}  // namespace jprof
