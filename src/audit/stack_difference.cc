#include "audit/stack_difference.h"

#include <algorithm>

namespace jprof {
namespace {

// After missing or extra frames, this many frames have to be equal, or all the frames that are
// left.
constexpr size_t kMostEqual = 4;
// The maximum number of missing or extra frames that are recognized as such.
constexpr size_t kMostShift = 64;

using Frames = std::span<const AuditedFrame>;

// True if `longer` continues like `shorter` after a number of further frames.
bool IsShifted(Frames shorter, Frames longer) {
  const Frames next = shorter.first(std::min(kMostEqual, shorter.size()));
  for (size_t shift = 1; shift <= kMostShift && shift + next.size() <= longer.size(); ++shift) {
    if (std::ranges::equal(next, longer.subspan(shift, next.size()))) return true;
  }
  return false;
}

// True if both stacks begin with the same method, and continue alike. REQUIRES: both have frames.
bool HasWrongIndex(Frames walked, Frames expected) {
  const size_t next = std::min({kMostEqual, walked.size() - 1, expected.size() - 1});
  return walked[0].method == expected[0].method &&
         (next != 0 || walked.size() == expected.size()) &&
         std::ranges::equal(walked.subspan(1, next), expected.subspan(1, next));
}

// True if the first two frames are exchanged, or all walked frames are in another order.
bool AreExchanged(Frames walked, Frames expected) {
  const bool is_pair = walked.size() > 1 && expected.size() > 1 && walked[0] == expected[1] &&
                       walked[1] == expected[0];
  return is_pair || (walked.size() <= expected.size() &&
                     std::ranges::is_permutation(walked, expected.first(walked.size())));
}

// Returns the error at the beginning of both stacks. Stacks of equal length have neither missing nor
// extra frames. REQUIRES: their first frames differ.
AuditResult ErrorAt(Frames walked, Frames expected, StackPart part) {
  const bool is_part = part == StackPart::kBeginning;
  const bool is_long = is_part || walked.size() > expected.size();
  const bool is_short = is_part || walked.size() < expected.size();
  if (walked.empty()) return AuditResult::kCut;
  if (!expected.empty() && HasWrongIndex(walked, expected)) return AuditResult::kWrongIndex;
  if (expected.empty() || (is_long && IsShifted(expected, walked))) return AuditResult::kExtra;
  if (is_short && IsShifted(walked, expected)) return AuditResult::kMissing;
  if (walked[0].method == expected[0].method) return AuditResult::kWrongIndex;
  return AreExchanged(walked, expected) ? AuditResult::kWrongOrder : AuditResult::kWrongMethod;
}

}  // namespace

FoundDifference CompareStacks(Frames walked, Frames expected, StackPart part) {
  const auto [first, other] = std::ranges::mismatch(walked, expected);
  const auto at = static_cast<size_t>(first - walked.begin());
  const bool is_over = part == StackPart::kBeginning || other == expected.end();
  if (first == walked.end() && is_over) return {};
  return {ErrorAt(walked.subspan(at), expected.subspan(at), part), at};
}

}  // namespace jprof
