#include "sigsafe/validation/stack_comparison.h"

#include <algorithm>

#include "sigsafe/base/errno_saver.h"
#include "sigsafe/hotspot/virtual_thread.h"
#include "sigsafe/native/native_registers.h"
#include "sigsafe/os/forked_child.h"
#include "sigsafe/os/thread_id.h"
#include "sigsafe/sampling/sample_source.h"
#include "sigsafe/sampling/sample_taker.h"
#include "sigsafe/sampling/signal_target.h"
#include "sigsafe/stack/vm_cursor.h"
#include "sigsafe/stack/walk_environment.h"
#include "sigsafe/stack/walk_start.h"
#include "sigsafe/validation/comparison_kinds.h"

namespace jprof {
namespace {

// release and acquire: the object is complete when a handler finds it.
std::atomic<StackComparison*> g_comparison{nullptr};

// Returns the address in the innermost physical Java frame; 0 if the walk finds none within a few
// frames.
uint64_t JavaPcOf(const WalkEnvironment& environment, void* jni_env, const ucontext_t* context) {
  constexpr int kMostNativeFrames = 256;
  WalkStart start;
  if (!StartAtSignal(*environment.vm, JavaThreadOf(jni_env, environment.vm->env_offset), context,
                     &start)) {
    return 0;
  }
  const WalkContext walk{*environment.vm, *environment.native_code, environment.mode,
                         start.java_thread, start.stack};
  VmCursor cursor(walk, start, WalkUntil::kMount);
  for (int i = 0; i < kMostNativeFrames && cursor.Step() == VmStep::kFrame; ++i) {
    if (IsJava(cursor.frame())) return cursor.position().pc;
  }
  return 0;
}

// Copies the entries of the running thread with this threadId(). Returns their number, and sets
// `is_doubtful` if they might be wrong.
uint32_t CopyShadowStack(const ShadowStacks& stacks, int64_t thread, ShadowEntry* to,
                         bool* is_doubtful) {
  const ShadowStack* const stack = thread == 0 ? nullptr : stacks.Find(thread);
  if (stack == nullptr) return 0;
  constexpr auto kMost = static_cast<int64_t>(ShadowStack::kMost);
  const int64_t depth = std::max<int64_t>(stack->depth.load(std::memory_order_relaxed), 0);
  *is_doubtful |= stack->is_doubtful.load(std::memory_order_relaxed) != 0 || depth > kMost;
  const auto count = static_cast<uint32_t>(std::min(depth, kMost));
  for (uint32_t i = 0; i < count; ++i) to[i] = stack->entries[i].load(std::memory_order_relaxed);
  return count;
}

// Calls AsyncGetCallTrace, unless another thread is calling it. `stack` is the stack of our walker.
void WalkByAsgctToo(const WalkEnvironment& environment, AgctCalls& calls, const Stack& stack,
                    void* jni_env, void* ucontext, ComparedStacks* to) {
  AgctCall call(calls);
  if (!call) return;
  BoundedText& note = call.BeginNote(Layer::kSignal, TierOf(stack.frames, stack.count));
  note.Append("pc ").AppendHex(to->interrupted_pc).Append("\ncode ").AppendArray(to->code.name);
  note.Append("\nplace ");
  AppendPlace(to->interrupted_pc, to->java_pc, to->code, note);
  note.Append("\nstack\n");
  AppendStack(stack, note);
  to->asgct_count =
      call.Run(environment.asgct, jni_env, ucontext, to->asgct, ComparedStacks::kMost + 1).frames;
  to->calls_asgct = true;
}

ComparisonOutcome Take(const StackComparison& comparison, uint32_t slot_index, void* ucontext,
                       ComparedStacks* to) {
  ThreadSlot* const slot = sample_taker::SlotOf(slot_index);
  void* const jni_env = slot == nullptr ? nullptr : slot->jni_env.load(std::memory_order_acquire);
  if (jni_env == nullptr) return ComparisonOutcome::kNotAttached;
  const auto* context = static_cast<const ucontext_t*>(ucontext);
  to->interrupted_pc = NativeRegistersOf(context).pc;
  const WalkScope scope;
  if (!scope) return ComparisonOutcome::kNoWalkBuffer;
  const WalkEnvironment& environment = scope.environment();
  const SampledWalk walk =
      InterruptedThread(ucontext).Walk(environment, *slot, Subject::Taker(), scope.buffer());
  if (!walk.may_read || !environment.walks_vm_frames()) return ComparisonOutcome::kNotReadable;
  const Stack& stack = walk.stack;
  if (!CanReadMountedThread(*environment.vm, environment.faults, jni_env)) {
    return ComparisonOutcome::kThreadUnknown;
  }
  to->thread = walk.mounted != 0 ? walk.mounted : slot->java_id.load(std::memory_order_relaxed);
  to->is_between = walk.mounted != 0 && stack.reaches_entry;
  to->shadow_count = CopyShadowStack(comparison.stacks(), to->thread, to->shadow, &to->is_doubtful);
  if (walk.mounted != 0) {
    to->carrier_count =
        CopyShadowStack(comparison.stacks(), slot->java_id.load(std::memory_order_relaxed),
                        to->carrier, &to->is_doubtful);
  }
  to->code = CodeAt(*environment.vm, to->interrupted_pc);
  if (stack.count > ComparedStacks::kMost) return ComparisonOutcome::kTooDeep;
  to->is_truncated = stack.truncated;
  to->frame_count = stack.count;
  std::copy_n(stack.frames, stack.count, to->frames);
  to->java_pc = JavaPcOf(environment, jni_env, context);
  if (AgctCalls* const calls = comparison.asgct()) {
    WalkByAsgctToo(environment, *calls, stack, jni_env, ucontext, to);
  }
  return ComparisonOutcome::kTaken;
}

}  // namespace

void StackComparison::Open(Tid tid, AgctCalls* asgct) {
  const uint64_t word = word_.load(std::memory_order_relaxed);
  tid_.store(tid, std::memory_order_relaxed);
  asgct_.store(asgct, std::memory_order_relaxed);
  word_.store(With(word + (1 << kStateBits), kAsked), std::memory_order_release);
}

const ComparedStacks* StackComparison::Poll() const {
  return StateOf(word_.load(std::memory_order_acquire)) == kAnswered ? &answer_ : nullptr;
}

bool StackComparison::Withdraw() {
  uint64_t word = word_.load(std::memory_order_relaxed);
  if (StateOf(word) == kAsked) {
    return word_.compare_exchange_strong(word, With(word, kIdle), std::memory_order_relaxed);
  }
  return StateOf(word) == kIdle;
}

ComparedStacks* StackComparison::Claim(Tid tid) {
  uint64_t word = word_.load(std::memory_order_acquire);
  if (StateOf(word) != kAsked || tid_.load(std::memory_order_relaxed) != tid) return nullptr;
  const bool is_claimed =
      word_.compare_exchange_strong(word, With(word, kAnswering), std::memory_order_acquire);
  return is_claimed ? &answer_ : nullptr;
}

void StackComparison::Publish() {
  word_.store(With(word_.load(std::memory_order_relaxed), kAnswered), std::memory_order_release);
}

void AnswerComparisons(StackComparison* comparison) {
  g_comparison.store(comparison, std::memory_order_release);
}

void ComparisonHandler(int, siginfo_t* info, void* ucontext) {
  const ErrnoSaver errno_saver;
  if (!IsOurs(*info, SI_QUEUE) || InForkedChild()) return;
  StackComparison* const comparison = g_comparison.load(std::memory_order_acquire);
  ComparedStacks* const answer = comparison == nullptr ? nullptr : comparison->Claim(CurrentTid());
  if (answer == nullptr) return;
  answer->shadow_count = 0;
  answer->carrier_count = 0;
  answer->code = {};
  answer->frame_count = 0;
  answer->asgct_count = 0;
  answer->calls_asgct = false;
  answer->is_truncated = false;
  answer->is_doubtful = false;
  answer->is_between = false;
  answer->thread = 0;
  answer->java_pc = 0;
  answer->outcome = Take(*comparison, SlotIndex(*info), ucontext, answer);
  comparison->Publish();
}

}  // namespace jprof
