#include "base/audit_counts.h"

#include "base/proportion.h"

namespace jprof {
namespace {

// The texts of the results in AuditText.
constexpr std::array<std::string_view, kAuditResults> kTexts = {"equal",
                                                                "with missing frames",
                                                                "with extra frames",
                                                                "with a wrong method",
                                                                "with a wrong bytecode index",
                                                                "with exchanged frames",
                                                                "cut",
                                                                "say that frames are missing",
                                                                "could not be compared"};

}  // namespace

uint64_t AuditCounts::wrong() const {
  uint64_t sum = 0;
  for (size_t i = 0; i < kAuditResults; ++i) {
    if (IsWrong(static_cast<AuditResult>(i))) sum += by_result[i];
  }
  return sum;
}

std::string AuditText(const AuditCounts& counts) {
  const uint64_t wrong = counts.wrong();
  std::string text = std::to_string(counts.compared()) + " stacks compared";
  if (counts.compared() != 0) {
    const ProportionBounds rate = ProportionInterval(wrong, counts.compared());
    text += ", " + std::to_string(wrong) + " wrong (at most " + PercentAtMostText(rate.high) + ")";
  }
  std::string_view separator = ": ";
  for (size_t i = 0; i < kAuditResults; ++i) {
    const auto result = static_cast<AuditResult>(i);
    if (result == AuditResult::kEqual || counts[result] == 0) continue;
    if (!IsWrong(result)) separator = "; ";
    text.append(separator).append(std::to_string(counts[result]) + " ").append(kTexts[i]);
    separator = ", ";
  }
  return text;
}

}  // namespace jprof
