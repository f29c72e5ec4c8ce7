#include "instrument/probe_places.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "instrument/class_file.h"
#include "instrument/code.h"
#include "instrument/constant_pool.h"
#include "instrument/stack_map.h"

namespace jprof::instrument {
namespace {

// OperandMarks marks the stack slots and the local variables of a constructor that hold the object
// under construction, before it is initialized. Step updates the marks by the effect of an
// instruction.
class OperandMarks {
 public:
  enum class Outcome : uint8_t {
    kNext,       // the effect of the instruction is applied
    kSuperCall,  // the instruction calls super() or this()
    kMalformed,  // the instruction has too few, too many or bad operands
  };

  // Makes the marks that hold at the start of a constructor: only variable 0 is marked.
  OperandMarks() : locals_{0} {}
  // Makes the marks that hold at a frame of a stack map.
  OperandMarks(const VerificationTypes& locals, const VerificationTypes& stack);

  // Applies the effect of the instruction.
  Outcome Step(const Code& code, uint32_t index, const ConstantPool& pool);

  // Returns the marks that hold at the start of a handler, if an instruction at which these marks
  // hold throws an exception.
  OperandMarks Caught() const;

  // Keeps only the marks that `other` has as well. Sets `changed` to true if a mark was removed.
  // Returns false if the stacks have different depths.
  bool Merge(const OperandMarks& other, bool& changed);

  // Returns the number of entries, as a measure of the work that copying takes.
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

  std::string stack_;             // kMarked or kOther for each slot, the top last
  std::vector<uint16_t> locals_;  // marked variables, in ascending order
};

constexpr char kOther = 0;
constexpr char kMarked = 1;

struct LocalAccess {
  uint8_t opcode;  // the form without an index, such as aload for aload_0
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
  if (opcode == kOp_wide) return true;  // wide iinc; other forms of wide were handled above
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

// Caps the work of a search. The work is the number of copied and compared marks plus the number of
// visited handlers. Code that compilers put before super() needs far less, and this much work takes
// a fraction of a second.
constexpr uint64_t kMaxWork = uint64_t{1} << 22;

// Visits all instructions that can run before super() or this() has returned.
class SuperCallSearch {
 public:
  SuperCallSearch(const ClassFile& file, const Code& code) : file_(file), code_(code) {
    places_.before_entry.assign(code.instructions().size(), false);
  }

  Result<ProbePlaces, NotProbed> Run(const Method& method) {
    Reach(0, OperandMarks());
    ReachFrames(method);
    while (!pending_.empty() && !failure_) {
      const uint32_t index = pending_.back();
      pending_.pop_back();
      Visit(index);
    }
    if (failure_) return *failure_;
    auto& calls = places_.super_calls;
    std::sort(calls.begin(), calls.end());
    calls.erase(std::unique(calls.begin(), calls.end()), calls.end());
    if (calls.empty()) return NotProbed::kNoSuperCall;
    if (!PartsAreApart()) return NotProbed::kSharedHandler;
    return std::move(places_);
  }

 private:
  // Adds the marks that follow from the frames of the stack map. These frames matter because the
  // verifier also checks code that no path reaches.
  void ReachFrames(const Method& method) {
    if (file_.major_version < kFirstWithStackMaps) return;
    for (const Attribute& attribute : code_.attributes()) {
      if (attribute.name != "StackMapTable") continue;
      auto initial = InitialLocals(method, file_);
      if (!initial) return Fail(NotProbed::kMalformed);
      StackMapReader frames(attribute.content, std::move(*initial));
      while (frames.Next() && !failure_) ReachFrame(frames);
      if (frames.failed()) Fail(NotProbed::kMalformed);
    }
  }

  void ReachFrame(const StackMapReader& frame) {
    Work(frame.locals().size());
    const bool is_raw = std::any_of(
        frame.locals().begin(), frame.locals().end(),
        [](const VerificationType& type) { return type.tag == TypeTag::kUninitializedThis; });
    const uint32_t index = code_.IndexAt(frame.bci());
    if (index == Code::kNone) return Fail(NotProbed::kMalformed);
    if (is_raw) Reach(index, OperandMarks(frame.locals(), frame.stack()));
  }

  void Visit(uint32_t index) {
    OperandMarks marks = at_.find(index)->second;
    const Instruction& instruction = code_.instructions()[index];
    if (instruction.opcode == kOp_jsr || instruction.opcode == kOp_jsr_w ||
        instruction.opcode == kOp_ret) {
      return Fail(NotProbed::kTooComplex);
    }
    Work(code_.handlers().size());
    for (const Handler& handler : code_.handlers()) {
      if (handler.start <= instruction.bci && instruction.bci < handler.end) {
        Reach(code_.IndexAt(handler.handler), marks.Caught());
      }
    }
    switch (marks.Step(code_, index, file_.pool)) {
      case OperandMarks::Outcome::kMalformed:
        return Fail(NotProbed::kMalformed);
      case OperandMarks::Outcome::kSuperCall:
        places_.super_calls.push_back(index);
        return;
      case OperandMarks::Outcome::kNext:
        break;
    }
    code_.ForEachBranch(index, [&](size_t, size_t, int64_t target) {
      Reach(code_.IndexAt(static_cast<uint32_t>(target)), marks);
    });
    if (!NeverFallsThrough(instruction.opcode)) Reach(index + 1, marks);
  }

  void Reach(uint32_t index, const OperandMarks& marks) {
    if (failure_) return;
    if (index >= code_.instructions().size()) return Fail(NotProbed::kMalformed);
    Work(1 + marks.size());
    const auto [found, is_new] = at_.try_emplace(index, marks);
    bool changed = is_new;
    if (!is_new && !found->second.Merge(marks, changed)) return Fail(NotProbed::kMalformed);
    if (!changed) return;
    places_.before_entry[index] = true;
    pending_.push_back(index);
  }

  // True if no instruction after super() leads to an instruction before super(), be it by falling
  // through, by a branch or by a handler.
  bool PartsAreApart() const {
    std::vector<uint32_t> entered_until(code_.instructions().size() + 1, 0);
    bool apart = true;
    for (uint32_t index = 0; index < code_.instructions().size(); ++index) {
      const bool entered = places_.Entered(index);
      entered_until[index + 1] = entered_until[index] + (entered ? 1 : 0);
      const bool is_call =
          std::binary_search(places_.super_calls.begin(), places_.super_calls.end(), index);
      if (!entered && !is_call) continue;
      if (!NeverFallsThrough(code_.instructions()[index].opcode) && !EnteredAt(index + 1)) {
        apart = false;
      }
      code_.ForEachBranch(index, [&](size_t, size_t, int64_t target) {
        if (!EnteredAt(code_.IndexAt(static_cast<uint32_t>(target)))) apart = false;
      });
    }
    for (const Handler& handler : code_.handlers()) {
      const uint32_t end = handler.end == code_.bytes().size()
                               ? static_cast<uint32_t>(code_.instructions().size())
                               : code_.IndexAt(handler.end);
      const bool covers_entered = entered_until[end] != entered_until[code_.IndexAt(handler.start)];
      if (covers_entered && !EnteredAt(code_.IndexAt(handler.handler))) apart = false;
    }
    return apart;
  }

  bool EnteredAt(uint32_t index) const {
    return index < code_.instructions().size() && places_.Entered(index);
  }

  void Work(uint64_t amount) {
    work_ += amount;
    if (work_ > kMaxWork) Fail(NotProbed::kTooComplex);
  }
  void Fail(NotProbed reason) {
    if (!failure_) failure_ = reason;
  }

  const ClassFile& file_;
  const Code& code_;
  ProbePlaces places_;
  std::unordered_map<uint32_t, OperandMarks> at_;  // keyed by index of the instruction
  std::vector<uint32_t> pending_;
  uint64_t work_ = 0;
  std::optional<NotProbed> failure_;
};

}  // namespace

Result<ProbePlaces, NotProbed> FindProbePlaces(const ClassFile& file, const Method& method,
                                               const Code& code) {
  if (method.name != "<init>" || !file.has_superclass) return ProbePlaces();
  return SuperCallSearch(file, code).Run(method);
}

}  // namespace jprof::instrument
