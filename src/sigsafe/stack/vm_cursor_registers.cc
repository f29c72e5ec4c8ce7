// The steps of VmCursor that read registers of the interrupted code, beyond pc, sp and fp.
#include "sigsafe/hotspot/frame_shape.h"
#include "sigsafe/os/registers.h"
#include "sigsafe/stack/vm_cursor.h"
#include "sigsafe/stack/vm_steps.h"

namespace jprof {

// Returns the anchor in the call stub's first argument while this argument is only in a register; 0
// if the register has another value, or if no Java frame called the native code.
uint64_t VmCursor::EnteringAnchor() const {
  JavaFrameAnchor caller;
  if (interrupted_ == nullptr) return 0;
  const uint64_t wrapper = FirstArgumentRegister(interrupted_);
  if (!context_.IsAbove(position_.sp, wrapper) || wrapper % kWordSize != 0) return 0;
  const uint64_t anchor = wrapper + context_.vm.wrapper_anchor;
  const bool is_wrapper = LoadAnchor(context_.vm, anchor, &caller) &&
                          context_.IsAbove(wrapper, caller.sp) &&
                          IsGeneratedCode(context_.vm, caller.pc);
  return is_wrapper ? anchor : 0;
}

bool VmCursor::BySearch() {
  return ByHeuristic(FpOwner::kPerhapsOwn) || ToCallerBySearch(context_, &position_);
}

bool VmCursor::ByHeuristic(FpOwner owner) {
  InterruptedRegisters registers{0, 0, true};
  if (Interrupted() && interrupted_ != nullptr) {
    CodeBlob blob;
    if (IsInterpreterCode(context_.vm, position_.pc) && ByPendingReturn()) return true;
    const bool is_interpreter = IsInterpreterCode(context_.vm, position_.pc);
    const bool is_found = !is_interpreter && FindCodeBlob(context_.vm, position_.pc, &blob);
    const bool is_adapter = is_found && IsAdapter(context_.vm, blob);
    if (is_interpreter || is_adapter || (is_found && !blob.is_nmethod && blob.frame_size == 0)) {
      // Before an adapter notes the caller's stack pointer, the register has a value of earlier code,
      // or, during a call of the VM, the address of the return address.
      const bool notes_later = is_adapter && NotesSenderLater(blob, position_.pc);
      registers = {EnteredReturnRegister(interrupted_), SenderSpOf(interrupted_),
                   is_interpreter || (is_adapter && !notes_later), notes_later};
    } else {
      registers.return_address = ReturnRegister(interrupted_);
    }
  }
  return ToCallerByHeuristic(context_, registers, owner, &position_);
}

bool VmCursor::ByReturnRegister() {
  uint8_t number = 0;
  uint64_t bytes = 0;
  StackPosition caller{0, position_.sp, position_.fp, PcMeaning::kReturn};
  if (interrupted_ == nullptr ||
      !HasReturnInRegister(context_.vm, blob_, position_.pc, &number, &bytes) ||
      !InterruptedRegister(interrupted_, number, &caller.pc)) {
    return false;
  }
  caller.sp += bytes;
  return (!kCallsPush && ToNativeCaller(caller)) ||
         ToCallerOrHandler(context_, blob_, caller, &position_);
}

// Steps to the caller if it is native code: code of the VM calls stubs, such as those for atomic
// operations.
bool VmCursor::ToNativeCaller(const StackPosition& caller) {
  if (!context_.native_code.Find(caller.pc - 1).has_rules()) return false;
  position_ = caller;
  return true;
}

// Steps from a stub of unknown shape on a processor with a link register. If the word above the frame
// pointer has the same return address as this register, the frame pointer is the stub's own.
bool VmCursor::ByLinkOfStub() {
  if (interrupted_ == nullptr) return false;
  const uint64_t link = ReturnRegister(interrupted_);
  StackPosition caller{0, Slot(position_.fp, kReturnSlot + 1), 0, PcMeaning::kReturn};
  const bool has_frame = context_.IsAtOrAbove(position_.sp, position_.fp) &&
                         LoadReturnBelow(caller.sp, &caller.pc) &&
                         GuardedLoad(position_.fp, &caller.fp);
  if (!has_frame || caller.pc != link) {
    caller = {link, position_.sp, position_.fp, PcMeaning::kReturn};
  }
  if (ToNativeCaller(caller) || MoveIfPlausible(context_, caller, &position_)) return true;
  // An adapter might have pushed two registers before it made a frame (jdk-25+36
  // src/hotspot/cpu/aarch64/gc/shared/barrierSetAssembler_aarch64.cpp, c2i_entry_barrier).
  caller.sp = Slot(caller.sp, 2);
  return MoveIfPlausible(context_, caller, &position_);
}

// Returns the register in which the interpreter expects its caller's stack pointer.
uint64_t VmCursor::SenderSpOf(const ucontext_t* interrupted) const {
  uint64_t value = 0;
  static_cast<void>(InterruptedRegister(interrupted, context_.vm.sender_sp_register, &value));
  return value;
}

// Steps from the end of the return barrier to the innermost frame that was copied back.
bool VmCursor::PastThaw() {
  uint8_t number = 0;
  StackPosition caller{0, 0, 0, PcMeaning::kReturn};
  return interrupted_ != nullptr && IsEndOfThaw(position_.pc, &number) &&
         InterruptedRegister(interrupted_, number, &caller.sp) &&
         LoadReturnBelow(caller.sp, &caller.pc) && GuardedLoad(Slot(caller.sp, -2), &caller.fp) &&
         MoveIfPlausible(context_, caller, &position_);
}

bool VmCursor::ByPendingReturn() {
  PendingReturn pending;
  if (!DecodePendingReturn(position_.pc, &pending)) return false;
  StackPosition caller{0, position_.sp, position_.fp, PcMeaning::kReturn};
  if (!pending.sender_is_sp &&
      !InterruptedRegister(interrupted_, pending.sender_register, &caller.sp)) {
    return false;
  }
  const bool has_pc = pending.is_on_top
                          ? GuardedLoad(position_.sp, &caller.pc)
                          : InterruptedRegister(interrupted_, pending.return_register, &caller.pc);
  return has_pc && MoveIfPlausible(context_, caller, &position_);
}

}  // namespace jprof
