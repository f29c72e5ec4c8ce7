// ProbePlaces: where the probes of a method go.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "instrument/add_probes.h"
#include "instrument/class_file.h"
#include "instrument/code.h"

namespace jprof::instrument {

struct ProbePlaces {
  // The entry probe comes before the first instruction, or after each of `super_calls` (indexes of
  // instructions): a constructor's calls of super() and this(), on different paths.
  std::vector<uint32_t> super_calls;
  // By instruction, empty if there are no super_calls: whether it may run before one of them
  // returned.
  std::vector<bool> before_entry;

  bool entry_at_start() const { return super_calls.empty(); }
  bool Entered(uint32_t index) const { return before_entry.empty() || !before_entry[index]; }
  bool HasExit(const Code& code, uint32_t index) const {
    return IsReturn(code.instructions()[index].opcode) && Entered(index);
  }
};

Result<ProbePlaces, NotProbed> FindProbePlaces(const ClassFile& file, const Method& method,
                                               const Code& code);

}  // namespace jprof::instrument
