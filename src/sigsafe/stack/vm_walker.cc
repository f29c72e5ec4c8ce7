#include "sigsafe/stack/vm_walker.h"

#include "sigsafe/hotspot/frame_shape.h"
#include "sigsafe/hotspot/java_method.h"
#include "sigsafe/hotspot/stack_chunk.h"
#include "sigsafe/native/native_code.h"
#include "sigsafe/os/registers.h"
#include "sigsafe/stack/native_frames.h"
#include "sigsafe/stack/stub_steps.h"
#include "sigsafe/stack/vm_steps.h"

namespace jprof {
namespace {

// More than any compiler inlines at one place.
constexpr int kMaxInlinedFrames = 1024;
// CompLevel_full_optimization; below it C1 has compiled
// (jdk-17+35 src/hotspot/share/compiler/compilerDefinitions.hpp).
constexpr int64_t kC2Level = 4;
// Native parts that end further down the stack than they begin: where a signal's frame leads from
// one stack to another. Memory that is not what it seems could lead back and forth for ever.
constexpr int kMaxWaysDown = 8;

class VmWalk {
 public:
  VmWalk(const WalkGround& ground, StackMode mode, WalkUntil until, const ucontext_t* context,
         uint64_t java_thread, FrameSink* sink)
      : ground_(ground),
        mode_(mode),
        until_(until),
        context_(context),
        java_thread_(java_thread),
        sink_(sink),
        cursor_{Value(ProgramCounter(context)), StackPointer(context), FramePointer(context),
                PcMeaning::kNext} {}

  WalkEnd Run() {
    Progress progress = Progress::kOn;
    while (progress == Progress::kOn) {
      if (!IsGeneratedCode(ground_.vm, cursor_.pc)) {
        progress = InNativeCode();
      } else if (IsInterpreterCode(ground_.vm, cursor_.pc)) {
        progress = InInterpreter();
      } else if (cursor_.pc == ground_.vm.call_stub_return) {
        progress = InEntry();
      } else {
        progress = InBlob();
      }
    }
    // Native frames were not asked for, and there are no others.
    if (progress == Progress::kRoot && sink_->empty()) {
      sink_->Push(NativeFrame(ProgramCounter(context_)));
    }
    if (progress == Progress::kRoot) return WalkEnd::kRoot;
    if (progress == Progress::kMount) return WalkEnd::kMount;
    if (progress == Progress::kFull || !sink_->Push(OutcomeFrame(why_))) return WalkEnd::kFull;
    return WalkEnd::kBroken;
  }

 private:
  enum class Progress : uint8_t { kOn, kRoot, kMount, kFull, kBroken };

  // The innermost frame, where registers are what they were.
  bool Interrupted() const { return cursor_.meaning == PcMeaning::kNext; }

  Progress Broken(WalkOutcome why) {
    why_ = why;
    return Progress::kBroken;
  }

  Progress OnIf(bool moved, WalkOutcome otherwise) {
    return moved ? Progress::kOn : Broken(otherwise);
  }

  bool Push(uint64_t method, int32_t bci, FrameKind kind) {
    JavaMethod java;
    const uint64_t id = LoadJavaMethod(ground_.vm, method, &java) ? java.id : 0;
    return sink_->Push({id, bci, kind});
  }

  // The VM's own code or a native method's.
  Progress InNativeCode() {
    if (const uint64_t target = Interrupted() ? JumpTarget(cursor_.pc) : 0;
        IsGeneratedCode(ground_.vm, target)) {
      cursor_.pc = target;
      return Progress::kOn;
    }
    // No library is there: what was taken for a frame was none.
    const bool is_code =
        Interrupted() || NativeCode::OfProcess().Find(cursor_.pc - 1).table != nullptr;
    if (!is_code) return FromAnchor(Progress::kBroken);
    NativePart part{{cursor_.pc, cursor_.sp, cursor_.fp},
                    Interrupted() ? context_ : nullptr,
                    ground_.bounds,
                    {ground_.vm.code_low, ground_.vm.code_high},
                    mode_};
    if (Interrupted()) part.registers = NativeRegistersOf(context_);
    switch (PushNativeFrames(&part, sink_)) {
      case NativeEnd::kFull:
        return Progress::kFull;
      case NativeEnd::kOutermost:
        return FromAnchor(Progress::kRoot);
      case NativeEnd::kLost:
        return FromAnchor(Progress::kBroken);
      case NativeEnd::kReached:
        break;
    }
    if (part.registers.sp <= cursor_.sp && ++ways_down_ > kMaxWaysDown) {
      return Broken(WalkOutcome::kBrokenNative);
    }
    cursor_ = {part.registers.pc, part.registers.sp, part.registers.fp, PcMeaning::kReturn};
    return Progress::kOn;
  }

  // Java goes on where the VM has noted that it was left, if it was.
  Progress FromAnchor(Progress otherwise) {
    JavaFrameAnchor anchor;
    if (!LoadAnchor(ground_.vm, java_thread_ + ground_.vm.thread_anchor, &anchor)) {
      return Broken(WalkOutcome::kUnreadable);
    }
    if (ToAnchor(ground_, anchor, &cursor_)) return Progress::kOn;
    if (otherwise == Progress::kRoot) return otherwise;
    return Broken(anchor.sp == 0 ? WalkOutcome::kNoJavaFrame : WalkOutcome::kBrokenNative);
  }

  Progress InInterpreter() {
    JavaMethod java;
    const bool is_entering = Interrupted() && HasEntryFrame(ground_, cursor_);
    if (is_entering || !LoadInterpretedMethod(ground_, cursor_, &java)) {
      if (!sink_->Push({cursor_.pc, -1, FrameKind::kStub})) return Progress::kFull;
      // A frame that deoptimisation is still making already has its caller.
      const bool moved = Interrupted() ? BySearch() : ToCallerOfInterpreted(ground_, &cursor_);
      return OnIf(moved, WalkOutcome::kBrokenInterpreted);
    }
    const FrameKind kind = java.is_native ? FrameKind::kJavaNative : FrameKind::kInterpreted;
    saw_java_ = true;
    if (!sink_->Push({java.id, InterpretedIndex(java), kind})) return Progress::kFull;
    return OnIf(ToCallerOfInterpreted(ground_, &cursor_), WalkOutcome::kBrokenInterpreted);
  }

  int32_t InterpretedIndex(const JavaMethod& method) {
    uint64_t bcp = 0;
    if (method.is_native || !GuardedLoad(Slot(cursor_.fp, ground_.vm.interpreter_bcp_slot), &bcp)) {
      return -1;
    }
    return BytecodeIndexOf(ground_.vm, method, bcp);
  }

  Progress InEntry() {
    if (Interrupted() && !sink_->Push({cursor_.pc, -1, FrameKind::kStub})) return Progress::kFull;
    return PastEntry();
  }

  Progress PastEntry() {
    if (mode_ == StackMode::kVmx || mode_ == StackMode::kFp) {
      return OnIf(ToNativeCallerOfEntry(ground_, &cursor_), WalkOutcome::kBrokenEntry);
    }
    bool is_root = false;
    if (!ToCallerOfEntry(ground_, &is_root, &cursor_)) return Broken(WalkOutcome::kBrokenEntry);
    return is_root ? Progress::kRoot : Progress::kOn;
  }

  // Whether Continuation.enterSpecial has called frames of Java, a virtual thread's, and not the VM
  // to bring them back. The frames that follow are the carrier's.
  bool AtMount(const CodeBlob& blob) const {
    return saw_java_ && IsContinuationEntry(ground_.vm, blob);
  }

  Progress InBlob() {
    CodeBlob blob;
    if (!FindCodeBlob(ground_.vm, cursor_.pc, &blob)) return Broken(WalkOutcome::kNoCode);
    if (until_ == WalkUntil::kMount && AtMount(blob)) return Progress::kMount;
    if (!blob.is_nmethod) return InStub(blob);
    const Progress pushed = PushScopes(blob);
    if (pushed != Progress::kOn) return pushed;
    const bool moved = ToCallerOfCompiled(ground_, blob, &cursor_);
    return OnIf(moved || (Interrupted() && BySearch()), WalkOutcome::kBrokenCompiled);
  }

  Progress InStub(const CodeBlob& blob) {
    if (Interrupted() && !sink_->Push({cursor_.pc, -1, FrameKind::kStub})) return Progress::kFull;
    if (!Interrupted() && IsReturnBarrier(ground_.vm, blob, cursor_.pc)) return PastHeapFrames();
    if (Interrupted() && IsNearCallStub(ground_.vm, cursor_.pc)) {
      if (ToNativeCallerOfStub(ground_, &cursor_)) return Progress::kOn;
      if (HasEntryFrame(ground_, cursor_)) return PastEntry();
    }
    const bool moved =
        blob.frame_size == 0
            ? !Interrupted() && IsAdapter(ground_.vm, blob) && ToCallerOfAdapter(ground_, &cursor_)
            : ToCallerOfFramedStub(ground_, blob, &cursor_) ||
                  (blob.frame_size > 0 && ToCallerOfCompiled(ground_, blob, &cursor_));
    const bool has_own_fp = blob.frame_size == 0 || SetsUpFramePointer(blob);
    const FpOwner whose = has_own_fp ? FpOwner::kPerhapsOwn : FpOwner::kCaller;
    return OnIf(moved || Nearby(whose) ||
                    (Interrupted() && ToNativeCallerOfStub(ground_, &cursor_)) ||
                    ToCallerBySearch(ground_, &cursor_) ||
                    (Interrupted() && ToUnknownCallerOfStub(ground_, &cursor_)),
                WalkOutcome::kBrokenStub);
  }

  // Behind the return barrier: frames in the heap, then those of the carrier.
  Progress PastHeapFrames() {
    int64_t entry = 0;
    if (!ground_.vm.thread_continuation.exists() ||
        !ground_.vm.thread_continuation.Load(java_thread_, &entry)) {
      return Broken(WalkOutcome::kHeapFrames);
    }
    const StackCursor barrier = cursor_;
    const Progress pushed = PushHeapFrames(static_cast<uint64_t>(entry));
    if (pushed == Progress::kFull) return pushed;
    if (pushed == Progress::kBroken && !sink_->Push(OutcomeFrame(WalkOutcome::kHeapFrames))) {
      return Progress::kFull;
    }
    cursor_ = barrier;
    return OnIf(ToMount(ground_, static_cast<uint64_t>(entry), &cursor_), WalkOutcome::kHeapFrames);
  }

  // kOn: all of them.
  Progress PushHeapFrames(uint64_t entry) {
    ChunkStack chunk;
    if (!FindChunkStack(ground_.vm, java_thread_, entry, &chunk)) return Progress::kBroken;
    for (int i = 0; i < kMaxChunks && chunk.chunk != 0; ++i) {
      const Progress pushed = PushChunk(chunk);
      if (pushed != Progress::kOn) return pushed;
      if (!FindNextChunkStack(ground_.vm, &chunk)) return Progress::kBroken;
    }
    return chunk.chunk == 0 ? Progress::kOn : Progress::kBroken;
  }

  Progress PushChunk(const ChunkStack& chunk) {
    cursor_ = {0, chunk.sp, 0, PcMeaning::kReturn};
    if (!GuardedLoad(Slot(chunk.sp, -1), &cursor_.pc)) return Progress::kBroken;
    if (IsInterpreterCode(ground_.vm, cursor_.pc) &&
        !LoadChunkFramePointer(chunk.sp, &cursor_.fp)) {
      return Progress::kBroken;
    }
    while (cursor_.sp < chunk.end) {
      const Progress pushed = PushHeapFrame();
      if (pushed != Progress::kOn) return pushed;
      if (!ToCallerInChunk(ground_, chunk.end, &cursor_)) return Progress::kBroken;
    }
    return Progress::kOn;
  }

  Progress PushHeapFrame() {
    if (IsInterpreterCode(ground_.vm, cursor_.pc)) {
      JavaMethod java;
      uint64_t method = 0;
      if (!GuardedLoad(Slot(cursor_.fp, kMethodSlot), &method) ||
          !LoadJavaMethod(ground_.vm, method, &java)) {
        return Progress::kBroken;
      }
      const FrameKind kind = java.is_native ? FrameKind::kJavaNative : FrameKind::kInterpreted;
      return sink_->Push({java.id, InterpretedIndex(java), kind}) ? Progress::kOn : Progress::kFull;
    }
    CodeBlob blob;
    if (!FindCodeBlob(ground_.vm, cursor_.pc, &blob)) return Progress::kBroken;
    return blob.is_nmethod ? PushScopes(blob) : Progress::kOn;
  }

  // A deoptimised frame returns to a handler; where it would have returned to is kept in it.
  uint64_t OriginalPc(const CodeBlob& blob) {
    int64_t offset = 0;
    uint64_t original = cursor_.pc;
    if (IsDeoptReturn(ground_.vm, blob, cursor_.pc) &&
        ground_.vm.nmethod_orig_pc_offset.Load(blob.address, &offset)) {
      static_cast<void>(GuardedLoad(cursor_.sp + static_cast<uint64_t>(offset), &original));
    }
    return original;
  }

  Progress PushScopes(const CodeBlob& blob) {
    int64_t level = 0;
    CompiledScopes scopes;
    if (!ground_.vm.nmethod_level.Load(blob.address, &level) ||
        !CompiledScopes::Find(ground_.vm, blob, OriginalPc(blob), cursor_.meaning, &scopes)) {
      return Broken(WalkOutcome::kBrokenCompiled);
    }
    if (!scopes.exact() && cursor_.meaning == PcMeaning::kReturn) {
      cursor_.meaning = PcMeaning::kLeafReturn;
    }
    saw_java_ = true;
    const FrameKind compiled = level == 0          ? FrameKind::kJavaNative
                               : level == kC2Level ? FrameKind::kC2Compiled
                                                   : FrameKind::kC1Compiled;
    for (int i = 0; i < kMaxInlinedFrames; ++i) {
      CompiledScopes::Scope scope;
      if (!scopes.Next(&scope)) return Broken(WalkOutcome::kUnreadable);
      const FrameKind kind = scope.outermost ? compiled : FrameKind::kInlined;
      if (!Push(scope.method, scope.bci, kind)) return Progress::kFull;
      if (scope.outermost) return Progress::kOn;
    }
    return Broken(WalkOutcome::kUnreadable);
  }

  bool BySearch() { return Nearby(FpOwner::kPerhapsOwn) || ToCallerBySearch(ground_, &cursor_); }

  bool Nearby(FpOwner whose) {
    InterruptedRegisters registers{0, 0};
    CodeBlob blob;
    const bool enters =
        Interrupted() &&
        (IsInterpreterCode(ground_.vm, cursor_.pc) ||
         (FindCodeBlob(ground_.vm, cursor_.pc, &blob) && IsAdapter(ground_.vm, blob)));
    if (enters) {
      registers = {EnteredReturnRegister(context_), SenderSpRegister(context_)};
    } else if (Interrupted()) {
      registers.return_address = ReturnRegister(context_);
    }
    return ToCallerNearby(ground_, registers, whose, &cursor_);
  }

  const WalkGround& ground_;
  const StackMode mode_;
  const WalkUntil until_;
  const ucontext_t* const context_;
  const uint64_t java_thread_;
  FrameSink* const sink_;
  StackCursor cursor_;
  bool saw_java_ = false;
  int ways_down_ = 0;
  WalkOutcome why_ = WalkOutcome::kNoJavaFrame;
};

}  // namespace

WalkEnd WalkVmStack(const HotspotLayout& vm, StackMode mode, WalkUntil until, const void* jni_env,
                    const ucontext_t* context, FrameSink* sink) {
  const uint64_t java_thread = JavaThreadOf(jni_env, vm.env_offset);
  WalkGround ground{vm, {}};
  if (!LoadStackBounds(vm, java_thread, &ground.bounds.low, &ground.bounds.high)) {
    sink->Push(NativeFrame(ProgramCounter(context)));
    return sink->Push(OutcomeFrame(WalkOutcome::kUnreadable)) ? WalkEnd::kBroken : WalkEnd::kFull;
  }
  return VmWalk(ground, mode, until, context, java_thread, sink).Run();
}

}  // namespace jprof
