#include "sigsafe/asgst/stack_iterator.h"

#include "sigsafe/asgst/thread_of_stack.h"
#include "sigsafe/memory/slot_pool.h"
#include "sigsafe/native/native_registers.h"
#include "sigsafe/os/forked_child.h"
#include "sigsafe/os/registers.h"

namespace jprof::asgst {
namespace {

// The number of walks and callbacks that can be under way at once.
constexpr size_t kCells = 256;
// The maximum number of frames that are skipped between two frames of the result: more than a stack
// has.
constexpr int kMaxSkipped = 1 << 20;

constinit IteratorCell g_cells[kCells];
constinit SlotPool<kCells> g_taken;

int32_t ErrorOf(WalkOutcome why) {
  switch (why) {
    case WalkOutcome::kNoJavaFrame:
      return kNoTopJavaFrame;
    case WalkOutcome::kUnreadable:
      return kUnsafeState;
    case WalkOutcome::kHeapFrames:
      return kMissingFrames;
    default:
      return kBrokenStack;
  }
}

bool CopyGuarded(const ucontext_t* from, ucontext_t* to) {
  static_assert(sizeof(ucontext_t) % kWordSize == 0);
  auto* const words = reinterpret_cast<uint64_t*>(to);
  const auto at = reinterpret_cast<uint64_t>(from);
  for (size_t i = 0; i < sizeof(ucontext_t) / kWordSize; ++i) {
    if (!GuardedLoad(at + i * kWordSize, &words[i])) return false;
  }
  return true;
}

}  // namespace

int32_t StackIterator::BeginAtSignal(const ApiState& state, const WalkEnvironment& environment,
                                     const ucontext_t* ucontext, int32_t options) {
  const uint64_t java_thread = RunningJavaThread(state);
  WalkStart start;
  if (java_thread == 0) return BeginOther(state, environment, ucontext, options);
  if (!StartAtSignal(*environment.vm, java_thread, ucontext, &start)) return kUnsafeState;
  if ((options & kOfWaitingThreads) != 0 && !start.stack.Contains(start.position.sp)) {
    return BeginOther(state, environment, ucontext, options);
  }
  return BeginJava(state, environment, start, options);
}

// Begins a walk at registers that are not on the stack of a running Java thread.
int32_t StackIterator::BeginOther(const ApiState& state, const WalkEnvironment& environment,
                                  const ucontext_t* ucontext, int32_t options) {
  const uint64_t other =
      (options & kOfWaitingThreads) == 0 ? 0 : FindThreadOfStack(state, StackPointer(ucontext));
  if (other == 0) {
    return RunningJavaThread(state) != 0 ? kUnsafeState
                                         : BeginNative(state, environment, ucontext, options);
  }
  WalkStart start;
  if (!CopyGuarded(ucontext, &copied_) ||
      !StartAtSignal(*environment.vm, other, &copied_, &start)) {
    return kUnsafeState;
  }
  return BeginJava(state, environment, start, options);
}

int32_t StackIterator::BeginAtAnchor(const ApiState& state, const WalkEnvironment& environment,
                                     int32_t options) {
  const uint64_t java_thread = RunningJavaThread(state);
  if (java_thread == 0) return kNoThread;
  JavaFrameAnchor anchor;
  if (!LoadAnchor(*environment.vm, java_thread + environment.vm->thread_anchor, &anchor)) {
    return kUnsafeState;
  }
  if (anchor.sp == 0) return kNoTopJavaFrame;
  WalkStart start;
  if (!StartAtAnchor(*environment.vm, java_thread, &start)) return kUnsafeState;
  return BeginJava(state, environment, start, options);
}

int32_t StackIterator::BeginAtFrame(const ApiState& state, const WalkEnvironment& environment,
                                    const StackPosition& position, int32_t options) {
  const uint64_t java_thread = RunningJavaThread(state);
  if (java_thread == 0) return kNoThread;
  WalkStart start;
  if (!StartAtRegisters(*environment.vm, java_thread, position, &start)) return kUnsafeState;
  if (!start.stack.Contains(position.sp) || position.sp % kWordSize != 0) return kWrongArgument;
  return BeginJava(state, environment, start, options);
}

// A stack pointer outside of the thread's stack belongs to an alternate stack or to another thread:
// with it, frames of two stacks would be put together.
int32_t StackIterator::BeginJava(const ApiState& state, const WalkEnvironment& environment,
                                 const WalkStart& start, int32_t options) {
  if (!start.stack.Contains(start.position.sp)) return kUnsafeState;
  api_ = &state;
  options_ = options;
  source_ = Source::kJava;
  const StackMode mode = (options & kWithNonJava) != 0 ? StackMode::kVmx : StackMode::kNo;
  context_.emplace(
      WalkContext{*environment.vm, *environment.native_code, mode, start.java_thread, start.stack});
  start_ = start;
  return PeekFirst(kJavaTrace);
}

int32_t StackIterator::BeginNative(const ApiState& state, const WalkEnvironment& environment,
                                   const ucontext_t* ucontext, int32_t options) {
  if ((options & kWithOtherThreads) == 0) return kNoThread;
  api_ = &state;
  options_ = options;
  source_ = Source::kNative;
  ucontext_ = ucontext;
  context_.emplace(
      WalkContext{*environment.vm, *environment.native_code, StackMode::kVmx, 0, StackBounds()});
  return PeekFirst(kNonJavaTrace);
}

void StackIterator::BeginStored(const StoredFrames& stack) {
  source_ = Source::kStored;
  stored_ = stack;
  kind_ = stack.kind;
  Rewind();
}

int32_t StackIterator::PeekFirst(int32_t kind) {
  Restart();
  first_result_ = Advance(&first_);
  first_method_ = method_;
  if (first_result_ < 0) return first_result_;
  if (first_result_ == kAtEnd && first_.type == 0) return kNoTopJavaFrame;
  has_first_ = true;
  kind_ = kind;
  result_ = kMore;
  return kind;
}

void StackIterator::Restart() {
  result_ = kMore;
  if (source_ == Source::kJava) {
    cursor_.emplace(*context_, *start_, WalkUntil::kMount);
  } else if (source_ == Source::kNative) {
    native_.emplace(context_->native_code, context_->mode, context_->stack, LoadFaults::kCaught,
                    CodeRangeLimits());
    native_->BeginInterrupted(NativeRegistersOf(ucontext_), ucontext_);
  }
}

void StackIterator::Rewind() {
  if (source_ == Source::kNone) return;
  has_first_ = false;
  stored_next_ = 0;
  Restart();
}

int32_t StackIterator::Next(WalkedFrame* frame) {
  *frame = {};
  if (has_first_) {
    has_first_ = false;
    *frame = first_;
    method_ = first_method_;
    result_ = first_result_;
    return result_;
  }
  if (result_ != kMore) return result_;
  return Advance(frame);
}

int32_t StackIterator::Advance(WalkedFrame* frame) {
  *frame = {};
  method_ = 0;
  switch (source_) {
    case Source::kJava:
      result_ = NextOfJava(frame);
      break;
    case Source::kNative:
      result_ = NextOfNative(frame);
      break;
    case Source::kStored:
      result_ = NextStored(frame);
      break;
    case Source::kNone:
      result_ = kAtEnd;
      break;
  }
  return result_;
}

WalkedFrame StackIterator::At(const StackPosition& position, uint8_t type) const {
  WalkedFrame frame{type, -1, -1, 0, position.pc, 0, 0};
  const StackBounds& stack = context_->stack;
  if (stack.high == 0 || stack.Contains(position.sp)) {
    frame.sp = position.sp;
    frame.fp = position.fp;
  }
  return frame;
}

WalkedFrame StackIterator::JavaFrameOf(const Frame& frame) const {
  WalkedFrame to = At(cursor_->position(), kJavaFrame);
  to.method = frame.id;
  to.bci = frame.bci;
  switch (frame.kind) {
    case FrameKind::kInterpreted:
      to.comp_level = 0;
      break;
    case FrameKind::kInlined:
      to.type = kInlinedFrame;
      to.comp_level = cursor_->level();
      break;
    case FrameKind::kJavaNative:
      to.type = kJavaNativeFrame;
      break;
    default:
      to.comp_level = cursor_->level();
      break;
  }
  return to;
}

int32_t StackIterator::NextOfJava(WalkedFrame* frame) {
  const bool with_others = (options_ & kWithNonJava) != 0;
  for (int i = 0; i < kMaxSkipped; ++i) {
    const VmStep step = cursor_->Step();
    if (step == VmStep::kBroken) return ErrorOf(cursor_->why());
    if (step != VmStep::kFrame) return kAtEnd;
    const Frame& walked = cursor_->frame();
    if (walked.kind == FrameKind::kOutcome) {
      const auto why = static_cast<WalkOutcome>(walked.id);
      if (why != WalkOutcome::kBrokenNative) return ErrorOf(why);
      if (!with_others) continue;
      *frame = WalkedFrame{kNonJavaFrame, -1, -1, 0, 0, 0, 0};
      return kMore;
    }
    if (!IsJava(walked)) {
      if (!with_others) continue;
      *frame = At(cursor_->position(), kNonJavaFrame);
      return kMore;
    }
    const WalkedFrame java = JavaFrameOf(walked);
    if ((options_ & kEndAtFirstJava) != 0 && java.type != kJavaNativeFrame) {
      *frame = At(cursor_->position(), kJavaFrame);
      return kAtEnd;
    }
    *frame = java;
    method_ = cursor_->method();
    // If there is no room for the names, the frame still has its method.
    if (java.method != 0) {
      static_cast<void>(api_->methods->Add(context_->vm, method_, java.method, *api_->arena));
    }
    return kMore;
  }
  return kBrokenStack;
}

int32_t StackIterator::NextOfNative(WalkedFrame* frame) {
  const NativeStep step = native_->Step();
  if (step == NativeStep::kLost) return kBrokenStack;
  if (step != NativeStep::kFrame) return kAtEnd;
  const NativeRegisters& registers = native_->registers();
  *frame = At({registers.pc, registers.sp, registers.fp, PcMeaning::kReturn}, kNonJavaFrame);
  return kMore;
}

int32_t StackIterator::NextStored(WalkedFrame* frame) {
  if (stored_next_ == stored_.count) return stored_.last;
  *frame = stored_.frames[stored_next_++];
  return kMore;
}

IteratorCell* ClaimIterator() {
  const size_t slot = g_taken.Claim();
  if (slot == SlotPool<kCells>::kNone) return nullptr;
  IteratorCell* const cell = &g_cells[slot];
  cell->owner.store(RunningThread(), std::memory_order_relaxed);
  return cell;
}

void ReleaseIterator(IteratorCell* cell) {
  cell->owner.store(nullptr, std::memory_order_relaxed);
  g_taken.Release(static_cast<size_t>(cell - g_cells));
}

IteratorCell* FindIterator(const void* pointer) {
  const auto offset = reinterpret_cast<uint64_t>(pointer) - reinterpret_cast<uint64_t>(g_cells);
  if (offset >= sizeof g_cells || offset % sizeof(IteratorCell) != 0) return nullptr;
  IteratorCell* const cell = &g_cells[offset / sizeof(IteratorCell)];
  return cell->owner.load(std::memory_order_relaxed) == RunningThread() ? cell : nullptr;
}

WalkSession::WalkSession() : result_(kForkedProcess) {
  if (!InForkedChild()) result_ = Prepare();
}

int32_t WalkSession::Prepare() {
  state_ = TheApiState();
  if (state_ == nullptr) return kNotStarted;
  if (!scope_) return kTooManyWalks;
  const WalkEnvironment& environment = scope_.environment();
  if (environment.vm == nullptr || environment.faults != LoadFaults::kCaught) return kNotStarted;
  open_.emplace();
  if (!open_->are_open()) return kUnsafeState;
  cell_ = ClaimIterator();
  return cell_ == nullptr ? kTooManyWalks : kMore;
}

WalkSession::~WalkSession() {
  if (cell_ != nullptr) ReleaseIterator(cell_);
}

}  // namespace jprof::asgst
