// CodeLayout has the positions of the instructions of a method after probes have been added to the
// method. MoveCodeTable corrects the tables of a Code attribute accordingly.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "instrument/code.h"
#include "instrument/probe_places.h"

namespace jprof::instrument {

class CodeLayout {
 public:
  // `entry_size` and `exit_size` are the sizes of an entry probe and an exit probe in bytes.
  CodeLayout(const Code& code, const ProbePlaces& places, size_t entry_size, size_t exit_size);

  // Returns the length of the code without the probes' handler at the end.
  uint32_t length() const { return end_of_.back(); }

  // Return new positions of the instruction `index`, after the probes have been added. StartOf is
  // where a jump to the instruction leads: to the exit probe before the instruction, if there is
  // one, else to the instruction. PositionOf is the start of the instruction itself. EndOf is the
  // end of the instruction; an entry probe after the instruction starts there.
  uint32_t StartOf(uint32_t index) const { return start_of_[index]; }
  uint32_t PositionOf(uint32_t index) const { return position_of_[index]; }
  uint32_t EndOf(uint32_t index) const { return end_of_[index]; }

  // Returns StartOf of the instruction at `bci`. REQUIRES: an instruction starts at `bci`.
  uint32_t StartAt(uint32_t bci) const { return start_of_[code_.IndexAt(bci)]; }
  // Returns the new end of a range that ended at `bci`. REQUIRES: bci > 0; an instruction ends at
  // `bci`.
  uint32_t RangeEndAt(uint32_t bci) const;
  // Returns the new position of `bci` for the tables that debuggers read. `bci` need not be the
  // start of an instruction, and can be the end of the code. The position of bci 0 is 0, because
  // debuggers expect the first line and the parameters to start there.
  uint32_t DebugPositionAt(uint32_t bci) const;

 private:
  // Returns the index of the instruction that contains `bci`.
  uint32_t IndexAround(uint32_t bci) const;

  const Code& code_;
  std::vector<uint32_t> start_of_;
  std::vector<uint32_t> position_of_;
  std::vector<uint32_t> end_of_;
};

// Corrects the content of the attribute `name` in place if it is a table of line numbers, local
// variables or type annotations; other attributes stay unchanged. Stack maps are written elsewhere
// (stack_map.h). Returns false if the content is malformed.
bool MoveCodeTable(std::string_view name, std::span<uint8_t> content, const Code& code,
                   const CodeLayout& layout);

}  // namespace jprof::instrument
