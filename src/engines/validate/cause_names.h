// CauseNames names the code that was interrupted where stacks differ: a stub by the VM's name for it,
// native code by its symbol and library.
//
// Runs on the recorder's thread. Bounded by the addresses that ComparisonSums keeps.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engines/validate/comparison_sums.h"
#include "jvm/stub_names.h"

namespace jprof {

class CauseNames {
 public:
  // REQUIRES: `stubs` outlives the object.
  explicit CauseNames(const StubNames& stubs) : stubs_(stubs) {}

  // Finds the names of the addresses that have none yet. Reads the symbols of a library once for all
  // of them.
  void Resolve(const std::vector<uint64_t>& pcs);

  // Returns the name of the cause. REQUIRES: Resolve was called for its address, if it has one.
  std::string Of(const Cause& cause) const;

 private:
  const StubNames& stubs_;
  std::map<uint64_t, std::string> names_;  // by address; empty if the code has no name
};

}  // namespace jprof
