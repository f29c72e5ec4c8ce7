#include "instrument/code_layout.h"

#include <algorithm>

namespace jprof::instrument {
namespace {

bool IsSwitch(uint8_t opcode) { return opcode == kOp_tableswitch || opcode == kOp_lookupswitch; }

}  // namespace

CodeLayout::CodeLayout(const Code& code, const ProbePlaces& places, size_t entry_size,
                       size_t exit_size)
    : code_(code) {
  const size_t count = code.instructions().size();
  start_of_.reserve(count);
  position_of_.reserve(count);
  end_of_.reserve(count);
  auto next_call = places.super_calls.begin();
  size_t at = places.entry_at_start() ? entry_size : 0;
  for (uint32_t index = 0; index < count; ++index) {
    const Instruction& instruction = code.instructions()[index];
    start_of_.push_back(static_cast<uint32_t>(at));
    if (places.HasExit(code, index)) at += exit_size;
    position_of_.push_back(static_cast<uint32_t>(at));
    at += code.BytesOf(index).size();
    if (IsSwitch(instruction.opcode)) {
      at += SwitchPadding(position_of_.back());
      at -= SwitchPadding(instruction.bci);
    }
    end_of_.push_back(static_cast<uint32_t>(at));
    if (next_call != places.super_calls.end() && *next_call == index) {
      at += entry_size;
      ++next_call;
    }
  }
}

uint32_t CodeLayout::IndexAround(uint32_t bci) const {
  const auto& instructions = code_.instructions();
  const auto after = std::upper_bound(
      instructions.begin(), instructions.end(), bci,
      [](uint32_t at, const Instruction& instruction) { return at < instruction.bci; });
  return static_cast<uint32_t>(after - instructions.begin()) - 1;
}

uint32_t CodeLayout::RangeEndAt(uint32_t bci) const { return end_of_[IndexAround(bci - 1)]; }

uint32_t CodeLayout::DebugPositionAt(uint32_t bci) const {
  if (bci == 0) return 0;
  if (bci >= code_.bytes().size()) return length();
  const uint32_t index = IndexAround(bci);
  const uint32_t within = bci - code_.instructions()[index].bci;
  if (within == 0) return start_of_[index];
  return std::min(position_of_[index] + within, end_of_[index] - 1);
}

}  // namespace jprof::instrument
