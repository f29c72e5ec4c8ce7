// ProbePlaces has the instructions of a method at which the method gets probes.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "instrument/add_probes.h"
#include "instrument/class_file.h"
#include "instrument/code.h"

namespace jprof::instrument {

struct ProbePlaces {
  // The indexes of the instructions by which a constructor calls super() or this(). A constructor
  // can have several such calls, on different paths. An entry probe comes after each of these
  // calls. In other methods, the entry probe comes before the first instruction.
  std::vector<uint32_t> super_calls;
  // Indexed by instruction. True if the instruction can run at a time when none of `super_calls`
  // has returned yet. Empty if super_calls is empty.
  std::vector<bool> before_entry;

  bool entry_at_start() const { return super_calls.empty(); }
  // True if the entry probe has always run by the time that the instruction runs.
  bool Entered(uint32_t index) const { return before_entry.empty() || !before_entry[index]; }
  bool HasExit(const Code& code, uint32_t index) const {
    return IsReturn(code.instructions()[index].opcode) && Entered(index);
  }
};

// Returns the places, or the reason why the method cannot be probed.
Result<ProbePlaces, NotProbed> FindProbePlaces(const ClassFile& file, const Method& method,
                                               const Code& code);

}  // namespace jprof::instrument
