// ProbePlaces: the places of the probes in a method.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "instrument/add_probes.h"
#include "instrument/class_file.h"
#include "instrument/code.h"

namespace jprof::instrument {

struct ProbePlaces {
  // The calls to super() and this() on the different paths of a constructor, as indexes of
  // instructions. The entry probe comes after each of them; without such calls, before the first
  // instruction.
  std::vector<uint32_t> super_calls;
  // For each instruction, true if it can run before one of super_calls has returned; empty if there
  // are no super_calls.
  std::vector<bool> before_entry;

  bool entry_at_start() const { return super_calls.empty(); }
  bool Entered(uint32_t index) const { return before_entry.empty() || !before_entry[index]; }
  bool HasExit(const Code& code, uint32_t index) const {
    return IsReturn(code.instructions()[index].opcode) && Entered(index);
  }
};

// Returns the places of the probes, or the reason why the method cannot be probed.
Result<ProbePlaces, NotProbed> FindProbePlaces(const ClassFile& file, const Method& method,
                                               const Code& code);

}  // namespace jprof::instrument
