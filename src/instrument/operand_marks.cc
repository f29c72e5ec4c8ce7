#include "instrument/operand_marks.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "instrument/descriptor.h"

namespace jprof::instrument {
namespace {

constexpr char kOther = 0;
constexpr char kMarked = 1;

struct LocalAccess {
  uint8_t opcode;  // form without an index: aload for aload_0
  uint16_t local;
};

std::optional<LocalAccess> LocalAccessOf(Bytes bytes) {
  const bool is_wide = bytes[0] == kOp_wide;
  const uint8_t opcode = bytes[is_wide ? 1 : 0];
  const auto short_form = [opcode](uint8_t first_short, uint8_t first) {
    const uint8_t distance = opcode - first_short;
    return LocalAccess{static_cast<uint8_t>(first + distance / 4),
                       static_cast<uint16_t>(distance % 4)};
  };
  if (opcode >= kOp_iload_0 && opcode <= kOp_aload_3) return short_form(kOp_iload_0, kOp_iload);
  if (opcode >= kOp_istore_0 && opcode <= kOp_astore_3) return short_form(kOp_istore_0, kOp_istore);
  if (kOpcodeShapes[opcode].layout != OperandLayout::kLocal || opcode == kOp_ret) {
    return std::nullopt;
  }
  const int32_t local = is_wide ? SignedAt(bytes, 2, 2) : bytes[1];
  return LocalAccess{opcode, static_cast<uint16_t>(local)};
}

}  // namespace

OperandMarks::OperandMarks(const VerificationTypes& locals, const VerificationTypes& stack) {
  uint32_t slot = 0;
  for (const VerificationType& type : locals) {
    if (type.tag == TypeTag::kUninitializedThis) locals_.push_back(static_cast<uint16_t>(slot));
    slot += type.Slots();
  }
  for (const VerificationType& type : stack) {
    stack_.append(type.Slots(), type.tag == TypeTag::kUninitializedThis ? kMarked : kOther);
  }
}

OperandMarks OperandMarks::Caught() const {
  OperandMarks caught = *this;
  caught.stack_.assign(1, kOther);
  return caught;
}

bool OperandMarks::Merge(const OperandMarks& other, bool& changed) {
  if (stack_.size() != other.stack_.size()) return false;
  const size_t before = locals_.size();
  std::erase_if(locals_, [&other](uint16_t local) { return !other.IsMarked(local); });
  changed = locals_.size() != before;
  for (size_t i = 0; i < stack_.size(); ++i) {
    if (stack_[i] == kOther || other.stack_[i] == kMarked) continue;
    stack_[i] = kOther;
    changed = true;
  }
  return true;
}

OperandMarks::Outcome OperandMarks::Step(const Code& code, uint32_t index,
                                         const ConstantPool& pool) {
  bool is_super_call = false;
  if (!Apply(code, index, pool, is_super_call)) return Outcome::kMalformed;
  return is_super_call ? Outcome::kSuperCall : Outcome::kNext;
}

bool OperandMarks::Apply(const Code& code, uint32_t index, const ConstantPool& pool,
                         bool& is_super_call) {
  const Bytes bytes = code.BytesOf(index);
  const uint8_t opcode = bytes[0];
  if (const auto access = LocalAccessOf(bytes)) {
    return AccessLocal(code, access->opcode, access->local);
  }
  const OpcodeShape shape = kOpcodeShapes[opcode];
  if (shape.pops != kVaries) return Pop(shape.pops) && Push(code, shape.pushes);
  if (opcode == kOp_swap) {
    if (stack_.size() < 2) return false;
    std::swap(stack_[stack_.size() - 1], stack_[stack_.size() - 2]);
    return true;
  }
  if (opcode >= kOp_dup && opcode <= kOp_dup2_x2) {
    const size_t form = opcode - kOp_dup;
    return Duplicate(code, 1 + form / 3, form % 3);
  }
  if (opcode == kOp_wide) return true;  // iinc: other forms of wide have been handled above
  const auto operand = static_cast<uint16_t>(SignedAt(bytes, 1, 2));
  if (opcode == kOp_multianewarray) return Pop(bytes[3]) && Push(code, 1);
  const std::string_view descriptor = pool.MemberDescriptor(operand);
  if (descriptor.empty()) return false;
  if (opcode >= kOp_getstatic && opcode <= kOp_putfield) {
    return AccessField(code, opcode, descriptor);
  }
  bool marked = false;
  const bool has_receiver = opcode != kOp_invokestatic && opcode != kOp_invokedynamic;
  if (!Invoke(code, descriptor, has_receiver, marked)) return false;
  is_super_call = marked && opcode == kOp_invokespecial && pool.MemberName(operand) == "<init>";
  return true;
}

bool OperandMarks::Pop(size_t count) {
  if (count > stack_.size()) return false;
  stack_.resize(stack_.size() - count);
  return true;
}

bool OperandMarks::Push(const Code& code, size_t count, bool marked) {
  stack_.append(count, marked ? kMarked : kOther);
  return stack_.size() <= code.max_stack();
}

bool OperandMarks::Duplicate(const Code& code, size_t count, size_t below) {
  if (stack_.size() < count + below) return false;
  const std::string top = stack_.substr(stack_.size() - count);
  stack_.insert(stack_.size() - count - below, top);
  return stack_.size() <= code.max_stack();
}

bool OperandMarks::AccessField(const Code& code, uint8_t opcode, std::string_view descriptor) {
  const bool is_static = opcode == kOp_getstatic || opcode == kOp_putstatic;
  const bool is_read = opcode == kOp_getstatic || opcode == kOp_getfield;
  const uint32_t slots = SlotsOf(descriptor);
  if (!Pop((is_static ? 0 : 1) + (is_read ? 0 : slots))) return false;
  return Push(code, is_read ? slots : 0);
}

bool OperandMarks::Invoke(const Code& code, std::string_view descriptor, bool has_receiver,
                          bool& marked) {
  const auto type = MethodDescriptor::Parse(descriptor);
  if (!type || !Pop(type->ParameterSlots())) return false;
  if (has_receiver) {
    if (stack_.empty()) return false;
    marked = stack_.back() == kMarked;
    stack_.pop_back();
  }
  return Push(code, SlotsOf(type->result));
}

bool OperandMarks::AccessLocal(const Code& code, uint8_t opcode, uint16_t local) {
  const OpcodeShape shape = kOpcodeShapes[opcode];
  if (shape.pops == 0) return Push(code, shape.pushes, opcode == kOp_aload && IsMarked(local));
  const bool marked = opcode == kOp_astore && !stack_.empty() && stack_.back() == kMarked;
  if (!Pop(shape.pops)) return false;
  for (int i = 0; i < shape.pops; ++i) Unmark(uint32_t{local} + static_cast<uint32_t>(i));
  if (marked) locals_.insert(std::lower_bound(locals_.begin(), locals_.end(), local), local);
  return true;
}

bool OperandMarks::IsMarked(uint16_t local) const {
  return std::binary_search(locals_.begin(), locals_.end(), local);
}

void OperandMarks::Unmark(uint32_t local) {
  std::erase_if(locals_, [local](uint16_t marked) { return marked == local; });
}

}  // namespace jprof::instrument
