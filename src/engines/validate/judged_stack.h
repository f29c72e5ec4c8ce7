// JudgedStack: a walked stack, the true one, and the result of their comparison.
#pragma once

#include <cstdint>
#include <vector>

#include "engines/validate/comparison_sums.h"
#include "engines/validate/judge.h"
#include "sigsafe/validation/interrupted_code.h"

namespace jprof {

// Where a thread was interrupted.
struct ExamplePlace {
  uint64_t pc = 0;
  uint64_t java_pc = 0;  // ComparedStacks::java_pc
  InterruptedCode code = {};
};

struct JudgedStack {
  ComparisonKey key;  // with the verdict
  std::vector<JudgedFrame> walked;
  std::vector<TrueEntry> truth;
  ExamplePlace place;
};

}  // namespace jprof
