// OperandMarks: which stack slots and local variables of a constructor hold the object that is not
// yet initialized, followed from instruction to instruction.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "instrument/code.h"
#include "instrument/constant_pool.h"
#include "instrument/stack_map_reader.h"

namespace jprof::instrument {

class OperandMarks {
 public:
  enum class Outcome : uint8_t {
    kNext,       // the effect of the instruction is applied
    kSuperCall,  // the instruction calls super() or this()
    kMalformed,  // too few operands, too many, or bad ones
  };

  // At the start of a constructor.
  OperandMarks() : locals_{0} {}
  // At a frame of a stack map.
  OperandMarks(const VerificationTypes& locals, const VerificationTypes& stack);

  // Applies the effect of the instruction.
  Outcome Step(const Code& code, uint32_t index, const ConstantPool& pool);

  // At a handler that catches what such an instruction throws.
  OperandMarks Caught() const;

  // Keeps what both have. False if their stacks are of different depths.
  bool Merge(const OperandMarks& other, bool& changed);

  size_t size() const { return stack_.size() + locals_.size(); }

 private:
  bool Pop(size_t count);
  bool Push(const Code& code, size_t count, bool marked = false);
  bool Duplicate(const Code& code, size_t count, size_t below);
  bool Invoke(const Code& code, std::string_view descriptor, bool has_receiver, bool& marked);
  bool AccessField(const Code& code, uint8_t opcode, std::string_view descriptor);
  bool AccessLocal(const Code& code, uint8_t opcode, uint16_t local);
  bool Apply(const Code& code, uint32_t index, const ConstantPool& pool, bool& is_super_call);
  bool IsMarked(uint16_t local) const;
  void Unmark(uint32_t local);

  std::string stack_;             // a byte for each slot, the top last: 1 if it is marked
  std::vector<uint16_t> locals_;  // those that are marked, in order
};

}  // namespace jprof::instrument
