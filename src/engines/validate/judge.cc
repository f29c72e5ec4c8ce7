#include "engines/validate/judge.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace jprof {
namespace {

using Numbers = std::vector<uint32_t>;  // the outermost method first

// Returns the probed frames, the outermost first.
std::vector<JudgedFrame> ProbedOf(std::span<const JudgedFrame> walked) {
  std::vector<JudgedFrame> probed;
  for (const JudgedFrame& frame : walked) {
    if (frame.number != 0) probed.push_back(frame);
  }
  std::ranges::reverse(probed);
  return probed;
}

bool IsSubsequence(std::span<const uint32_t> part, std::span<const uint32_t> whole) {
  size_t found = 0;
  for (const uint32_t number : whole) {
    if (found < part.size() && part[found] == number) ++found;
  }
  return found == part.size();
}

bool HaveNothingInCommon(const Numbers& a, const Numbers& b) {
  return std::ranges::none_of(
      a, [&](uint32_t number) { return std::ranges::find(b, number) != b.end(); });
}

// Returns the sort of the difference. REQUIRES: the stacks differ.
Verdict DifferenceOf(const Numbers& walked, const Numbers& truth) {
  // The walked stack can be the upper part of the true one only if it has a frame.
  if (!walked.empty() && walked.size() < truth.size() &&
      std::equal(walked.rbegin(), walked.rend(), truth.rbegin())) {
    return Verdict::kCut;
  }
  if (IsSubsequence(walked, truth)) return Verdict::kMissing;
  if (IsSubsequence(truth, walked)) return Verdict::kExtra;
  if (std::ranges::is_permutation(walked, truth)) return Verdict::kWrongOrder;
  constexpr size_t kEnough = 3;
  if (walked.size() >= kEnough && truth.size() >= kEnough && HaveNothingInCommon(walked, truth)) {
    return Verdict::kWrongThread;
  }
  return Verdict::kWrongMethod;
}

// Returns the number of frames that belong to the innermost physical frame; 0 if the frame is not
// compiled.
size_t SizeOfTop(std::span<const JudgedFrame> walked) {
  if (walked.empty() || !walked.front().is_compiled) return 0;
  const auto physical = std::ranges::find(walked, false, &JudgedFrame::is_inlined);
  return static_cast<size_t>(physical - walked.begin()) + (physical == walked.end() ? 0 : 1);
}

// True if the true stack begins with the frames below the innermost physical frame, and goes on
// with the method of this frame.
bool IsConfined(std::span<const JudgedFrame> walked, std::span<const TrueEntry> truth) {
  const size_t top = SizeOfTop(walked);
  if (top == 0) return false;
  const std::vector<JudgedFrame> below = ProbedOf(walked.subspan(top));
  if (below.size() > truth.size()) return false;
  if (!std::ranges::equal(below, truth.first(below.size()), {}, &JudgedFrame::number,
                          &TrueEntry::number)) {
    return false;
  }
  const uint32_t physical = walked[top - 1].number;
  return physical == 0 || truth.size() == below.size() || truth[below.size()].number == physical;
}

// Leaves out frames that are in the code of their own probes, so that the others are the methods of
// the true stack. Returns nullopt if that is not possible. `probed`: the outermost frame first.
std::optional<std::vector<JudgedFrame>> AlignedWith(std::span<const JudgedFrame> probed,
                                                    std::span<const TrueEntry> truth) {
  // fits[i][j]: the frames from i on can be the entries from j on.
  const size_t width = truth.size() + 1;
  std::vector<bool> fits((probed.size() + 1) * width);
  fits[probed.size() * width + truth.size()] = true;
  for (size_t i = probed.size(); i > 0; --i) {
    for (size_t j = 0; j < width; ++j) {
      const bool is_same = j < truth.size() && probed[i - 1].number == truth[j].number;
      fits[(i - 1) * width + j] = (is_same && fits[i * width + j + 1]) ||
                                  (probed[i - 1].is_in_probes && fits[i * width + j]);
    }
  }
  if (!fits[0]) return std::nullopt;
  std::vector<JudgedFrame> aligned;
  for (size_t i = 0; i < probed.size(); ++i) {
    const size_t j = aligned.size();
    const bool is_same = j < truth.size() && probed[i].number == truth[j].number;
    if (is_same && fits[(i + 1) * width + j + 1]) aligned.push_back(probed[i]);
  }
  return aligned;
}

// Returns the place, from the root, of the first caller whose bytecode index differs; the number of
// entries if there is none.
size_t WrongIndexOf(std::span<const JudgedFrame> aligned, std::span<const TrueEntry> truth) {
  for (size_t i = 1; i < truth.size(); ++i) {
    const int32_t expected = truth[i].caller_bci;
    if (expected >= 0 && aligned[i - 1].bci != expected) return i - 1;
  }
  return truth.size();
}

}  // namespace

Judgement Judge(std::span<const JudgedFrame> walked, std::span<const TrueEntry> truth) {
  const std::vector<JudgedFrame> probed = ProbedOf(walked);
  if (const auto aligned = AlignedWith(probed, truth)) {
    const size_t wrong = WrongIndexOf(*aligned, truth);
    if (wrong == truth.size()) return {Verdict::kEqual};
    const size_t below = ProbedOf(walked.subspan(SizeOfTop(walked))).size();
    return {Verdict::kWrongIndex, SizeOfTop(walked) != 0 && wrong >= below};
  }
  Numbers walked_numbers;
  for (const JudgedFrame& frame : probed) walked_numbers.push_back(frame.number);
  Numbers true_numbers;
  for (const TrueEntry& entry : truth) true_numbers.push_back(entry.number);
  Verdict verdict = DifferenceOf(walked_numbers, true_numbers);
  // The innermost frames that are in their own probes need not be in the true stack.
  for (size_t i = probed.size(); verdict == Verdict::kWrongMethod && i > 0; --i) {
    if (!probed[i - 1].is_in_probes) break;
    walked_numbers.pop_back();
    if (walked_numbers != true_numbers) verdict = DifferenceOf(walked_numbers, true_numbers);
  }
  return {verdict, IsConfined(walked, truth)};
}

}  // namespace jprof
