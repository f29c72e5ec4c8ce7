// ThreadSlot: the data that handlers on a thread need about this thread.
// ThreadActivity: the activity of a thread at a sample.
//
// Slots are in one region that exists as long as the process (thread_slots.h). They are released
// for other threads, but their memory is never freed: an outdated pointer can lead to the slot of
// another thread, but never to unmapped memory. The thread itself writes the members, unless the
// comment of a member names the thread registry or an engine.
#pragma once

#include <atomic>
#include <cstdint>

#include "sigsafe/base/check.h"
#include "sigsafe/base/priming_path.h"
#include "sigsafe/base/sample_kinds.h"
#include "sigsafe/base/types.h"
#include "sigsafe/memory/guard_cells.h"

namespace jprof {

enum class ThreadActivity : uint8_t {
  kDefault,  // not determined, as in cpu samples (their threads were running)
  kRunning,
  kWaitingForCpu,  // runnable, but without a processor
  kSleeping,       // in the kernel, for a time or an event of unknown kind
  kParked,
  kInObjectWait,
  kBlockedOnMonitor,
  kInIo,  // reading, writing, or waiting for readiness
};

// True if the thread waits: its stack does not change until it runs again.
constexpr bool IsWaiting(ThreadActivity activity) { return activity >= ThreadActivity::kSleeping; }

struct SampleBlock;

// The value of wall_answer_ns before the thread's first signal.
inline constexpr Nanos kNotSignalled = -1;

// For the kinds of samples that cut a thread's time into intervals: the stack of the thread's
// previous sample of the kind. Time in which no handler takes a sample is recorded with this stack.
// relaxed: read by the thread itself, or by the wall engine after the handover through
// wall_answer_ns.
struct LastStack {
  std::atomic<CallTraceId> trace;       // kNoCallTrace if there is no such stack
  std::atomic<int64_t> virtual_thread;  // id of the stack's virtual thread; 0 if it has none
  std::atomic<uint32_t> context;        // Sample::context of the sample; 0 if it had none
  std::atomic<Nanos> time_ns;           // time of the sample
};

struct alignas(64) ThreadSlot {
  // --- identity; written at registration or claim, tid last: lookups compare the tid ---

  // The kernel's id; 0 if the slot is released. Stored with release after the other members, loaded
  // with acquire in lookups of the slot.
  std::atomic<Tid> tid;
  // The number of the thread. It is unique in the process, so threads that had the same tid have
  // different serials.
  std::atomic<uint32_t> serial;
  // The index in the region; constant.
  uint32_t index;
  // How the thread got the slot.
  std::atomic<PrimingPath> path;
  // True once the thread-local of the thread leads to the slot: until then only the registry uses
  // the slot.
  std::atomic<bool> adopted;
  // The time when the slot was taken for this thread (CLOCK_MONOTONIC).
  std::atomic<Nanos> claimed_ns;

  // --- written by the registry while the thread lives, read by handlers on it ---

  // JNIEnv* while the thread is attached to the JVM, else null. Stored with release and loaded with
  // acquire, because another thread stores the pointer for threads that were found by
  // GetAllThreads.
  std::atomic<void*> jni_env;
  // java.lang.Thread.threadId() of the platform thread; 0 if unknown. relaxed: a later store of
  // jni_env, which is release, publishes the id.
  std::atomic<int64_t> java_id;

  // The bounds of the thread's stack; each is 0 while it is unknown. relaxed: orders no other data.
  // The thread itself stores the bounds if it announces itself; otherwise another thread stores
  // them later.
  std::atomic<uintptr_t> stack_low;   // the lowest address
  std::atomic<uintptr_t> stack_high;  // the first address above the stack

  // --- used by handlers on this thread (relaxed: other threads do not synchronize with them) ---

  GuardCells guards;
  // Indexed by guard level (sample_blocks.h).
  std::atomic<SampleBlock*> sample_block[GuardCells::kMaxDepth];
  LastStack last_stacks[kIntervalKindCount];  // indexed by kind
  // The time on the thread's CPU clock at which the current interval ends; 0 if it is not set. The
  // cpu engine sets cpu_due_ns before the thread gets its first signal. When the engine stops, the
  // engine accounts for the intervals that have ended on this thread.
  std::atomic<Nanos> cpu_due_ns;
  // The time on the thread's CPU clock until which no cpu sample is taken; 0 if the last cpu sample
  // took a short time (HandlerThrottle in sampling/cpu_sampling.cc).
  std::atomic<Nanos> cpu_throttled_until_ns;
  // The time on the thread's CPU clock up to which the thread's share for long walks has been spent
  // (stack/root_budget.h).
  std::atomic<Nanos> walk_account_ns;
  // The end (CLOCK_MONOTONIC) and the place (EndedCall::PlaceOf) of the last slow method call whose
  // sample has a stack without its root. Used by engines/method.
  std::atomic<Nanos> rootless_call_end_ns;
  std::atomic<uint64_t> rootless_call_place;
  // True if a wall sample's handler has also taken a cpu sample, and the signal for this cpu sample
  // might still arrive.
  std::atomic<bool> cpu_piggybacked;

  // True while a handler of the profiler runs on the thread and blocks the profiler's signals. Set
  // by the handler. relaxed: other threads only need to know whether a handler ran a moment ago.
  std::atomic<bool> in_handler;

  // --- used for wall samples. From a wall signal to the answer, the thread owns these members and
  // --- LastStackOf(SampleKind::kWall); at all other times the wall engine owns them. The
  // --- release store and the acquire load of wall_answer_ns hand them over; the rest is relaxed

  std::atomic<ThreadActivity> wall_activity;  // activity in the previous wall sample
  std::atomic<bool> wall_lacks_tables;        // Stack::lacks_tables of the previous wall sample
  std::atomic<uint32_t> run;                  // the run of the sampler that these members belong to
  std::atomic<Nanos> wall_baseline_ns;        // time up to which elapsed time is accounted for
  std::atomic<Nanos> wall_previous_ns;        // time of the previous wall sample
  // The part of SamplingState::wall_ticks_in_windows_ns that has been accounted for.
  std::atomic<Nanos> wall_ticks_in_windows_ns;
  std::atomic<uint64_t> wall_sp;  // stack pointer in the previous wall sample
  // The time (CLOCK_MONOTONIC) at which the wall engine sent the last signal, and the time that the
  // thread's CPU clock showed then.
  std::atomic<Nanos> wall_look_ns;
  std::atomic<Nanos> wall_look_cpu_ns;
  // The answer to a wall signal: the time on the thread's CPU clock at the end of the handler. 0
  // while the engine waits for the answer, kNotSignalled before the first signal.
  std::atomic<Nanos> wall_answer_ns;

  // The lost weight of each SampleLoss, in the unit of the kind; indexed by LossIndex. Handlers and
  // engines add with release. The registry takes the weight with exchange(0) and acquire, so that
  // it also sees which thread the slot belonged to.
  std::atomic<uint64_t> lost[kSampleLossCount];

  // The elapsed time that handlers of the profiler took on this thread, and the time that stack
  // walks took in these handlers. Handlers add to both members, and the recorder takes the values
  // with exchange(0). relaxed: plain counters.
  std::atomic<uint64_t> handler_ns;
  std::atomic<uint64_t> walk_ns;

  // Returns the last stack of the kind. REQUIRES: the kind is cut into intervals.
  LastStack& LastStackOf(SampleKind kind) {
    JPROF_CHECK(IsCutIntoIntervals(RowOf(kind).unit));
    return last_stacks[static_cast<size_t>(kind)];
  }
  const LastStack& LastStackOf(SampleKind kind) const {
    JPROF_CHECK(IsCutIntoIntervals(RowOf(kind).unit));
    return last_stacks[static_cast<size_t>(kind)];
  }

  // Adds lost weight. REQUIRES: samples of the kind can be lost for the reason.
  void AddLost(SampleKind kind, LostReason reason, uint64_t weight) {
    lost[LossIndex(kind, reason)].fetch_add(weight, std::memory_order_release);
  }
};

// Every thread of the program has a slot, even if little is sampled, so the size of a slot is
// limited: seven slots fit on a page. Each kind of samples adds a word per reason for which its
// samples can be lost.
static_assert(sizeof(ThreadSlot) <= 9 * alignof(ThreadSlot));

static_assert(std::atomic<Tid>::is_always_lock_free);
static_assert(std::atomic<void*>::is_always_lock_free);
static_assert(std::atomic<Nanos>::is_always_lock_free);
static_assert(std::atomic<CallTraceId>::is_always_lock_free);
static_assert(std::atomic<ThreadActivity>::is_always_lock_free);

}  // namespace jprof
