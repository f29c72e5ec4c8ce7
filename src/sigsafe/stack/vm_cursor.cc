#include "sigsafe/stack/vm_cursor.h"

#include <utility>

#include "sigsafe/base/check.h"
#include "sigsafe/hotspot/frame_shape.h"
#include "sigsafe/os/registers.h"
#include "sigsafe/stack/vm_steps.h"

namespace jprof {
namespace {

// The maximum number of inlined frames at one place: more than any compiler inlines.
constexpr int kMaxInlinedFrames = 1024;
// CompLevel_full_optimization, the level of C2. C1 compiles at the lower levels
// (jdk-17+35 src/hotspot/share/compiler/compilerDefinitions.hpp).
constexpr int64_t kC2Level = 4;
// The maximum number of native parts of a walk that end further down in memory than they begin, for
// example where a signal frame leads to another stack. Without this limit, a walk of invalid memory
// might never end.
constexpr int kMaxWaysDown = 8;

FrameKind KindOfCompiled(int64_t level) {
  if (level == 0) return FrameKind::kJavaNative;
  return level == kC2Level ? FrameKind::kC2Compiled : FrameKind::kC1Compiled;
}

}  // namespace

VmCursor::VmCursor(const WalkContext& context, const WalkStart& start, WalkUntil until)
    : context_(context),
      interrupted_(start.interrupted),
      until_(until),
      position_(start.position),
      anchor_(context.java_thread + context.vm.thread_anchor),
      native_(context.native_code, context.mode, context.stack, LoadFaults::kCaught,
              {context.vm.code_low, context.vm.code_high}) {
  JPROF_CHECK(context.mode != StackMode::kAgct);
  JPROF_CHECK(context.java_thread == start.java_thread);
}

VmStep VmCursor::Step() {
  Progress progress = Advance();
  while (progress == Progress::kOn) progress = Advance();
  return static_cast<VmStep>(progress);
}

StackPosition VmCursor::position() const {
  if (next_ != Next::kNative) return position_;
  const NativeRegisters& registers = native_.registers();
  return {registers.pc, registers.sp, registers.fp, position_.meaning};
}

VmCursor::Progress VmCursor::Advance() {
  switch (next_) {
    case Next::kClassify:
      return Classify();
    case Next::kNative:
      return InNativeCode();
    case Next::kScope:
      return InScope();
    case Next::kPastCompiled:
      return PastCompiled();
    case Next::kPastInterpreted:
      return OnIf(ToCallerOfInterpreted(context_, &position_), WalkOutcome::kBrokenInterpreted);
    case Next::kPastEdge:
      return PastEdge();
    case Next::kPastStub:
      return PastStub();
    case Next::kPastEntry:
      return PastEntry();
    case Next::kEnterChunk:
      return EnterChunk();
    case Next::kPastHeapFrame:
      return PastHeapFrame();
    case Next::kPastHeap:
      return PastHeap();
    case Next::kHeapFrame:
      return InHeapFrame();
  }
  __builtin_unreachable();
}

VmCursor::Progress VmCursor::Classify() {
  const bool is_past_vm_code = std::exchange(is_past_vm_code_, false);
  if (!IsGeneratedCode(context_.vm, position_.pc)) return EnterNativeCode();
  if (IsInterpreterCode(context_.vm, position_.pc)) return InInterpreter(is_past_vm_code);
  is_unpacking_ = false;
  if (position_.pc == context_.vm.call_stub_return) return InEntry();
  return InBlob();
}

VmCursor::Progress VmCursor::EnterNativeCode() {
  if (!Interrupted()) {
    // The code has no unwind rules. So what was taken for a frame might not be a frame.
    if (!context_.native_code.Find(position_.pc - 1).has_rules()) {
      lacks_tables_ = true;
      return PastNativeCode(NativeStep::kLost);
    }
    native_.BeginAtCall({position_.pc, position_.sp, position_.fp});
    return OnWith(Next::kNative);
  }
  if (const uint64_t target = JumpTarget(position_.pc); IsGeneratedCode(context_.vm, target)) {
    position_.pc = target;
    return Progress::kOn;
  }
  NativeRegisters registers{position_.pc, position_.sp, position_.fp};
  if (interrupted_ != nullptr) registers.saved = NativeRegistersOf(interrupted_).saved;
  native_.BeginInterrupted(registers, interrupted_);
  return OnWith(Next::kNative);
}

VmCursor::Progress VmCursor::InNativeCode() {
  const NativeStep step = native_.Step();
  if (step == NativeStep::kFrame) return Yield(native_.frame(), Next::kNative);
  if (step == NativeStep::kReached && native_.follows_rules()) return InReachedCode();
  return PastNativeCode(step);
}

VmCursor::Progress VmCursor::InReachedCode() {
  const NativeRegisters& reached = native_.registers();
  if (reached.sp <= position_.sp && ++ways_down_ > kMaxWaysDown) {
    return Broken(WalkOutcome::kBrokenNative);
  }
  // The caller of a signal frame is interrupted code, whose frame might be incomplete. Of this
  // code, only the registers in `reached` are known.
  const bool is_interrupted = native_.is_interrupted();
  if (is_interrupted) interrupted_ = nullptr;
  position_ = {reached.pc, reached.sp, reached.fp,
               is_interrupted ? PcMeaning::kNext : PcMeaning::kReturn};
  is_past_vm_code_ = true;
  if (!is_interrupted) ByPendingThrow();
  return OnWith(Next::kClassify);
}

// Steps past code that has removed the frame of a method because of an exception, so that the frame
// pointer is that of the caller, or of a frame above it.
void VmCursor::ByPendingThrow() {
  PendingThrow pending;
  if (!IsGeneratedCode(context_.vm, position_.pc) || !DecodePendingThrow(position_.pc, &pending)) {
    return;
  }
  StackPosition caller{0, Slot(position_.sp, pending.words), position_.fp, PcMeaning::kReturn};
  if (!GuardedLoad(Slot(position_.sp, pending.return_slot), &caller.pc)) return;
  const bool is_fp_saved = pending.fp_slot >= 0;
  if (is_fp_saved && !GuardedLoad(Slot(position_.sp, pending.fp_slot), &caller.fp)) return;
  static_cast<void>(MoveIfPlausible(context_, caller, &position_));
}

// Continues at the Java frame of the anchor, if there is one, even if a frame pointer has led the
// walk to Java code: native code need not keep a frame pointer, so frames might have been missed.
VmCursor::Progress VmCursor::PastNativeCode(NativeStep end) {
  JavaFrameAnchor anchor;
  if (!LoadAnchor(context_.vm, anchor_, &anchor)) return Broken(WalkOutcome::kUnreadable);
  if (ToAnchor(context_, anchor, &position_)) {
    const bool has_gap = end == NativeStep::kLost ||
                         (end == NativeStep::kReached && native_.registers().sp > anchor.sp);
    if (!has_gap || context_.mode == StackMode::kNo) return OnWith(Next::kClassify);
    return Yield(OutcomeFrame(WalkOutcome::kBrokenNative), Next::kClassify);
  }
  if (end == NativeStep::kOutermost) return Progress::kRoot;
  if (end == NativeStep::kReached && context_.mode == StackMode::kFp) return InReachedCode();
  const bool left_no_java = end == NativeStep::kLost && anchor.sp == 0 && !saw_java_;
  return Broken(left_no_java ? WalkOutcome::kNoJavaFrame : WalkOutcome::kBrokenNative);
}

// True if the interpreter is just entering a method that compiled code has called. The frame pointer
// can then be that of an interpreted frame above the caller's.
bool VmCursor::IsEnteredFromCompiled() const {
  if (interrupted_ == nullptr) return false;
  const auto is_compiled = [this](uint64_t pc) {
    CodeBlob blob;
    return IsGeneratedCode(context_.vm, pc) && !IsInterpreterCode(context_.vm, pc) &&
           FindCodeBlob(context_.vm, pc, &blob) && blob.is_nmethod && FollowsCall(pc);
  };
  if (!kCallsPush) {
    // The link register keeps the return address until the interpreter's method calls other code. Once
    // the method has its frame, the return address is there too.
    const uint64_t link = ReturnRegister(interrupted_);
    uint64_t stored = 0;
    return is_compiled(link) &&
           (!GuardedLoad(Slot(position_.fp, kReturnSlot), &stored) || stored != link);
  }
  const uint64_t sender = SenderSpOf(interrupted_);
  if (sender % kWordSize != 0 || !context_.IsAtOrAbove(position_.sp, sender)) return false;
  uint64_t on_top = 0;
  return is_compiled(EnteredReturnRegister(interrupted_)) ||
         (GuardedLoad(position_.sp, &on_top) && is_compiled(on_top));
}

// `is_past_vm_code`: the interpreter has called a stub or native code.
VmCursor::Progress VmCursor::InInterpreter(bool is_past_vm_code) {
  JavaMethod java;
  const bool is_entering =
      Interrupted() && (HasEntryFrame(context_, position_) || IsEnteredFromCompiled());
  const bool is_unmade = !is_entering && IsUnmade();
  const bool has_method =
      !is_entering && !is_unmade && LoadInterpretedMethod(context_, position_, &java);
  const bool has_frame = has_method && (!(Interrupted() || is_past_vm_code) ||
                                        IsTopmostInterpreted(context_, position_, java));
  if (kCallsPush && !Interrupted() && is_past_vm_code && !is_unmade && !has_frame &&
      ToCompiledCallerOfEntry(context_, &position_)) {
    return OnWith(Next::kClassify);
  }
  if (!has_method && !Interrupted()) return PastUnmadeFrame();
  if (!has_method || (Interrupted() && !has_frame)) {
    return Yield(StubFrame(), Next::kPastEdge);
  }
  saw_java_ = true;
  return Yield(InterpretedFrame(java), Next::kPastInterpreted, java.address);
}

// True if the frame is one that deoptimisation makes, and still has words of earlier frames. The stub
// stores 0 as the last stack pointer of each frame; then the VM fills the frames, the outermost
// first, and stores another value (jdk-25+36 src/hotspot/cpu/x86/sharedRuntime_x86_64.cpp,
// generate_deopt_blob, and abstractInterpreter_x86.cpp, layout_activation).
bool VmCursor::IsUnmade() {
  uint64_t last_sp = 0;
  is_unpacking_ =
      is_unpacking_ && (!GuardedLoad(Slot(position_.fp, kLastSpSlot), &last_sp) || last_sp == 0);
  return is_unpacking_;
}

// Steps from a frame that deoptimisation is making for a caller. The frame does not have its method
// yet.
VmCursor::Progress VmCursor::PastUnmadeFrame() {
  if (!ToCallerOfInterpreted(context_, &position_)) return Broken(WalkOutcome::kBrokenInterpreted);
  return Yield(OutcomeFrame(WalkOutcome::kBrokenInterpreted), Next::kClassify);
}

VmCursor::Progress VmCursor::PastEdge() {
  return OnIf(BySearch(), WalkOutcome::kBrokenInterpreted);
}

Frame VmCursor::InterpretedFrame(const JavaMethod& method) const {
  if (method.is_native) return {method.id, -1, FrameKind::kJavaNative};
  return {method.id, BytecodeIndex(method), FrameKind::kInterpreted};
}

// Returns the bytecode index of the interpreted frame at position_, whose method is `method`. The
// interpreter writes the bytecode pointer to the frame only before it calls a method or the VM;
// between these calls, a register has it. For one instruction after a call, the register still has
// the callee's pointer: then the index is wrong if caller and callee are the same method.
int32_t VmCursor::BytecodeIndex(const JavaMethod& method) const {
  uint64_t bcp = 0;
  if (Interrupted() && interrupted_ != nullptr &&
      GuardedLoad(Slot(position_.fp, kLastSpSlot), &bcp) && bcp == 0) {
    const int32_t bci = BytecodeIndexOf(context_.vm, method, BytecodeRegister(interrupted_));
    if (bci >= 0) return bci;
  }
  const bool has_bcp = GuardedLoad(Slot(position_.fp, context_.vm.interpreter_bcp_slot), &bcp);
  return has_bcp ? StoredBytecodeIndex(context_.vm, method, bcp) : -1;
}

VmCursor::Progress VmCursor::InEntry() {
  return Interrupted() ? Yield(StubFrame(), Next::kPastEntry) : PastEntry();
}

VmCursor::Progress VmCursor::PastEntry() {
  uint64_t wrapper = 0;
  const bool has_wrapper = HasEntryWrapper(context_, position_.fp, &wrapper);
  return PastCallOfJava(has_wrapper ? wrapper + context_.vm.wrapper_anchor : 0,
                        WalkOutcome::kBrokenEntry);
}

VmCursor::Progress VmCursor::PastUpcall() {
  uint64_t anchor = 0;
  if (FindUpcallAnchor(context_, position_, &anchor)) {
    return PastCallOfJava(anchor, WalkOutcome::kBrokenStub);
  }
  return OnIf(Interrupted() && ToNativeCallerOfStub(context_, &position_),
              WalkOutcome::kBrokenStub);
}

// Steps from a stub by which native code has called Java, to that native code or to the Java frame
// that called it. `anchor` is the address of that frame's anchor; 0 if it was not found.
VmCursor::Progress VmCursor::PastCallOfJava(uint64_t anchor, WalkOutcome otherwise) {
  if (anchor != 0) anchor_ = anchor;
  if (context_.mode == StackMode::kVmx || context_.mode == StackMode::kFp) {
    return OnIf(ToNativeCallerOfEntry(context_, &position_), otherwise);
  }
  JavaFrameAnchor caller;
  if (anchor == 0 || !LoadAnchor(context_.vm, anchor, &caller)) return Broken(otherwise);
  if (caller.sp == 0) return Progress::kRoot;
  return OnIf(ToAnchor(context_, caller, &position_), otherwise);
}

// True at the frame of Continuation.enterSpecial that has mounted the virtual thread and has called
// Java code: the next frames are the carrier's. False if that frame has called the VM to copy
// frames, and at frames of enterSpecial for continuations that the virtual thread itself runs.
bool VmCursor::AtMount() const {
  return saw_java_ && IsContinuationEntry(context_.vm, blob_) &&
         (IsVirtualThreadEntry(position_.sp) ||
          ParentEntry(context_, position_.sp, blob_.frame_size) == 0);
}

VmCursor::Progress VmCursor::InBlob() {
  if (!FindCodeBlob(context_.vm, position_.pc, &blob_)) return Broken(WalkOutcome::kNoCode);
  if (until_ == WalkUntil::kMount && AtMount()) return Progress::kMount;
  if (Interrupted() && blob_.is_nmethod) {
    if (ToCallSite(blob_, &position_)) return OnWith(Next::kClassify);
    if (const uint64_t target = TailJumpTarget(blob_, position_.pc); target != 0) {
      position_.pc = target;
      return OnWith(Next::kClassify);
    }
  }
  if (blob_.is_nmethod) return EnterScopes(Next::kPastCompiled);
  if (Interrupted()) return Yield(StubFrame(), Next::kPastStub);
  return IsReturnBarrier(context_.vm, blob_, position_.pc) ? EnterHeap() : PastStub();
}

// Returns position_.pc, or the original pc from the frame if position_.pc is a deopt handler.
uint64_t VmCursor::OriginalPc() const {
  int64_t offset = 0;
  uint64_t original = position_.pc;
  if (IsDeoptReturn(context_.vm, blob_, position_.pc) &&
      context_.vm.nmethod_orig_pc_offset.Load(blob_.address, &offset)) {
    static_cast<void>(GuardedLoad(position_.sp + static_cast<uint64_t>(offset), &original));
  }
  return original;
}

VmCursor::Progress VmCursor::EnterScopes(Next past_scopes) {
  past_scopes_ = past_scopes;
  int64_t level = 0;
  if (!context_.vm.nmethod_level.Load(blob_.address, &level) ||
      !CompiledScopes::Find(context_.vm, blob_, OriginalPc(), position_.meaning, &scopes_)) {
    return ScopesBroken(WalkOutcome::kBrokenCompiled);
  }
  if (!scopes_.exact() && position_.meaning == PcMeaning::kReturn) {
    position_.meaning = PcMeaning::kLeafReturn;
  }
  saw_java_ = true;
  compiled_kind_ = KindOfCompiled(level);
  level_ = static_cast<int32_t>(level);
  scopes_left_ = kMaxInlinedFrames;
  return InScope();
}

VmCursor::Progress VmCursor::InScope() {
  CompiledScopes::Scope scope;
  if (scopes_left_-- == 0 || !scopes_.Next(&scope)) return ScopesBroken(WalkOutcome::kUnreadable);
  JavaMethod java;
  const uint64_t id = LoadJavaMethod(context_.vm, scope.method, &java) ? java.id : 0;
  const FrameKind kind = scope.outermost ? compiled_kind_ : FrameKind::kInlined;
  return Yield({id, scope.bci, kind}, scope.outermost ? past_scopes_ : Next::kScope, scope.method);
}

VmCursor::Progress VmCursor::ScopesBroken(WalkOutcome why) {
  return past_scopes_ == Next::kPastHeapFrame ? HeapBroken() : Broken(why);
}

VmCursor::Progress VmCursor::PastCompiled() {
  const bool moved = (!kCallsPush && Interrupted() && ByReturnRegister()) ||
                     ToCallerOfCompiled(context_, blob_, &position_);
  return OnIf(moved || (Interrupted() && BySearch()), WalkOutcome::kBrokenCompiled);
}

VmCursor::Progress VmCursor::PastStub() {
  is_unpacking_ = IsDeoptimisation(context_.vm, blob_);
  if (Interrupted() && ToPolledCode(context_, blob_, &position_)) {
    interrupted_ = nullptr;  // only the registers in position_ are those of the polled code
    return OnWith(Next::kClassify);
  }
  if (Interrupted() && PastThaw()) return OnWith(Next::kClassify);
  if (IsUpcallStub(context_.vm, blob_)) return PastUpcall();
  if (HasContinuationStubs(context_.vm, blob_) &&
      !(Interrupted() && WordsBelowReturn(blob_, position_.pc) >= 0)) {
    if (IsInReturnBarrier(context_.vm, blob_, position_.pc)) return InReturnBarrier();
    if (PastCopying()) return OnWith(Next::kClassify);
  }
  if (Interrupted() && IsNearCallStub(context_.vm, position_.pc)) {
    if (const uint64_t anchor = EnteringAnchor(); anchor != 0) {
      return PastCallOfJava(anchor, WalkOutcome::kBrokenStub);
    }
    if (ToNativeCallerOfStub(context_, &position_)) return OnWith(Next::kClassify);
    if (HasEntryFrame(context_, position_)) {
      return ToCallerNearby(context_, &position_) ? OnWith(Next::kClassify) : PastEntry();
    }
  }
  is_past_vm_code_ = true;
  return OnIf(ByShapeOfStub() || ByGuessAtStub(), WalkOutcome::kBrokenStub);
}

// Steps from a stub by what its code and its blob say of its frame.
bool VmCursor::ByShapeOfStub() {
  if (Interrupted() && (ByReturnRegister() || ToCallerAtEdge(context_, blob_, &position_))) {
    return true;
  }
  if (!kCallsPush && Interrupted() && blob_.frame_size <= 0 && ByLinkOfStub()) return true;
  const bool may_have_pushed =
      blob_.frame_size <= 0 || (Interrupted() && IsBeforeFrame(blob_, position_.pc));
  if (may_have_pushed && ToCallerOfPushingStub(context_, blob_, &position_)) return true;
  if (blob_.frame_size != 0) {
    return ToCallerOfFramedStub(context_, blob_, &position_) ||
           (blob_.frame_size > 0 && ToCallerOfCompiled(context_, blob_, &position_));
  }
  if (!IsAdapter(context_.vm, blob_)) return ToCallerOfSharedStub(context_, blob_, &position_);
  return !Interrupted() && ToCallerOfAdapter(context_, &position_);
}

// Steps from a stub to the first plausible caller.
bool VmCursor::ByGuessAtStub() {
  const bool has_own_fp = blob_.frame_size == 0 || SetsUpFramePointer(blob_.code_begin);
  return ByHeuristic(has_own_fp ? FpOwner::kPerhapsOwn : FpOwner::kCaller) ||
         (Interrupted() && ToNativeCallerOfStub(context_, &position_)) ||
         ToCallerBySearch(context_, &position_) ||
         (Interrupted() && ToUnknownCallerOfStub(context_, &position_));
}

uint64_t VmCursor::ParentOf(uint64_t entry) const {
  CodeBlob enter_special;
  return FindCodeBlob(context_.vm, context_.vm.ContinuationReturn(), &enter_special)
             ? ParentEntry(context_, entry, enter_special.frame_size)
             : 0;
}

}  // namespace jprof
