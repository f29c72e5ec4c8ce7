// CompareStacks: how a walked stack differs from the stack that the JVM reports.
//
// Thread-safe: no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/audit_counts.h"

namespace jprof {

// A frame that is compared: its method, as a number that is equal for equal methods, and its
// bytecode index, -1 in a native method.
struct AuditedFrame {
  uint64_t method;
  int64_t bci;

  friend bool operator==(const AuditedFrame&, const AuditedFrame&) = default;
};

struct FoundDifference {
  AuditResult result = AuditResult::kEqual;
  size_t at = 0;  // index of the first frame that differs
};

// Says whether the walked frames are the whole stack, or only its beginning.
enum class StackPart { kWhole, kBeginning };

// Compares two stacks, callee first. `expected` is the stack of the JVM. If `part` is kBeginning,
// `expected` may have further frames. A stack that has several errors gets the result of the first
// one.
FoundDifference CompareStacks(std::span<const AuditedFrame> walked,
                              std::span<const AuditedFrame> expected,
                              StackPart part = StackPart::kWhole);

}  // namespace jprof
