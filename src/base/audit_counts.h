// AuditCounts: how often the stacks of a recording were compared with those of the JVM, and with
// what result. The agent counts, a recording has the counts, and both programs show them.
//
// Plain values; AuditText is thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace jprof {

// The results of an audit, of which each audited stack has one. The results from kMissing to kCut
// are errors of the walker.
enum class AuditResult : uint8_t {
  kEqual,
  kMissing,      // frames in the middle are missing
  kExtra,        // the stack has frames that the thread does not have
  kWrongMethod,  // a frame has another method
  kWrongIndex,   // a frame has another bytecode index
  kWrongOrder,   // the stack has the right frames in another order
  kCut,          // the stack ends before its root
  // The stack says itself that frames are missing, and those that it has are right.
  kDeclared,
  kNotCompared,  // the JVM gave no stack of the same thread, or no names
};

// The name of each result, which is also the name of the field of profiler.StackAudit.
inline constexpr auto kAuditResultNames =
    std::to_array<std::string_view>({"equal", "missing", "extra", "wrongMethod", "wrongIndex",
                                     "wrongOrder", "cut", "declared", "notCompared"});
inline constexpr size_t kAuditResults = kAuditResultNames.size();

constexpr bool IsWrong(AuditResult result) {
  return AuditResult::kMissing <= result && result <= AuditResult::kCut;
}

struct AuditCounts {
  std::array<uint64_t, kAuditResults> by_result = {};

  uint64_t& operator[](AuditResult result) { return by_result[static_cast<size_t>(result)]; }
  uint64_t operator[](AuditResult result) const { return by_result[static_cast<size_t>(result)]; }

  void Add(const AuditCounts& other) {
    for (size_t i = 0; i < kAuditResults; ++i) by_result[i] += other.by_result[i];
  }

  // Returns the number of wrong stacks.
  uint64_t wrong() const;
  // Returns the number of stacks that were compared from end to end, or that were found wrong.
  uint64_t compared() const { return (*this)[AuditResult::kEqual] + wrong(); }
};

// Returns the counts in a line: "12345 stacks compared, 0 wrong (at most 0.03 %)". The bound is the
// upper end of the 95 % interval of the error rate (base/proportion.h).
std::string AuditText(const AuditCounts& counts);

}  // namespace jprof
