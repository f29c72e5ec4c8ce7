// OperandMarks: marks the stack slots and local variables of a constructor that hold the object
// that is not yet initialized, and follows the marks from instruction to instruction.
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
    kMalformed,  // the instruction has too few, too many or bad operands
  };

  // The marks at the start of a constructor.
  OperandMarks() : locals_{0} {}
  // The marks at a frame of a stack map.
  OperandMarks(const VerificationTypes& locals, const VerificationTypes& stack);

  // Applies the effect of the instruction.
  Outcome Step(const Code& code, uint32_t index, const ConstantPool& pool);

  // Returns the marks at a handler of an exception that an instruction with these marks throws.
  OperandMarks Caught() const;

  // Keeps only the marks that both have; `changed` is true if a mark was removed. Returns false if
  // the stacks have different depths.
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

  std::string stack_;             // a byte for each slot, the top last; 1: marked
  std::vector<uint16_t> locals_;  // marked variables, in ascending order
};

}  // namespace jprof::instrument
