// CodeLayout: where the instructions of a method are when its probes are in.
#pragma once

#include <cstdint>
#include <vector>

#include "instrument/code.h"
#include "instrument/probe_places.h"

namespace jprof::instrument {

class CodeLayout {
 public:
  // Sizes in bytes: of an entry probe and an exit probe.
  CodeLayout(const Code& code, const ProbePlaces& places, size_t entry_size, size_t exit_size);

  // Of the code without the handler at its end.
  uint32_t length() const { return end_of_.back(); }

  // By instruction: where a jump to it leads (its exit probe, if it has one), itself, its end,
  // before the entry probe that may follow.
  uint32_t StartOf(uint32_t index) const { return start_of_[index]; }
  uint32_t PositionOf(uint32_t index) const { return position_of_[index]; }
  uint32_t EndOf(uint32_t index) const { return end_of_[index]; }

  // By bci. REQUIRES: an instruction starts there.
  uint32_t StartAt(uint32_t bci) const { return start_of_[code_.IndexAt(bci)]; }
  // The end of a range that ends there. REQUIRES: bci > 0; an instruction or the code ends there.
  uint32_t RangeEndAt(uint32_t bci) const;
  // For debuggers, who expect the first line and the parameters from 0 on; any bci up to the end.
  uint32_t DebugPositionAt(uint32_t bci) const;

 private:
  uint32_t IndexAround(uint32_t bci) const;

  const Code& code_;
  std::vector<uint32_t> start_of_;
  std::vector<uint32_t> position_of_;
  std::vector<uint32_t> end_of_;
};

}  // namespace jprof::instrument
