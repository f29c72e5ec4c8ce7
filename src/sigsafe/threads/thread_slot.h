// ThreadSlot: the data of one thread that handlers on the thread need.
// ThreadActivity: the activity of a thread at a sample.
//
// Slots live in one region for the life of the process (thread_slots.h) and are never freed, only
// released: a stale pointer leads to a slot that names another thread. The members are written by
// the thread itself, or by the thread registry or the engine where the comment of a member says so.
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
  kDefault,  // not determined; the thread of a cpu sample was running by construction
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

// The value of wall_answer_ns while no signal was sent.
inline constexpr Nanos kNotSignalled = -1;

// The stack of a thread's previous sample of a kind that is cut into intervals, for time that no
// handler accounts for. relaxed: read by the thread itself, or after its handlers have handed it
// over (wall_answer_ns).
struct LastStack {
  std::atomic<CallTraceId> trace;       // kNoCallTrace: no sample, or a stack that was not recorded
  std::atomic<int64_t> virtual_thread;  // 0: the stack is the thread's own
  std::atomic<uint32_t> context;        // context of that sample (sampling/sample.h); 0: none
  std::atomic<Nanos> time_ns;           // time of that sample
};

struct alignas(64) ThreadSlot {
  // --- identity; written at registration or claim, before the slot is found through tid ---

  // The kernel's id; 0: released. Release store, acquire loads: pairs registration with lookups of
  // the slot.
  std::atomic<Tid> tid;
  // The number of the thread, unique in the process, so that a reused tid is another thread.
  std::atomic<uint32_t> serial;
  // The index in the region; constant.
  uint32_t index;
  // How the thread got the slot.
  std::atomic<PrimingPath> path;
  // True once the thread knows its slot: until then only the registry uses the slot.
  std::atomic<bool> adopted;
  // The time when the slot was taken for this thread (CLOCK_MONOTONIC).
  std::atomic<Nanos> claimed_ns;

  // --- written by the registry while the thread lives, read by handlers on it ---

  // JNIEnv* while the thread is attached to the JVM, else null. Release/acquire, because another
  // thread sets it for threads found by GetAllThreads.
  std::atomic<void*> jni_env;
  // java.lang.Thread.threadId() of the platform thread; 0: unknown. Relaxed: set before jni_env.
  std::atomic<int64_t> java_id;

  // The bounds of the thread's stack; each is 0 while it is unknown. Relaxed: set by the thread
  // itself if it announces itself, else later by another thread.
  std::atomic<uintptr_t> stack_low;   // the lowest address
  std::atomic<uintptr_t> stack_high;  // the first address above it

  // --- used only by handlers on this thread (relaxed: ordering against the own thread only) ---

  GuardCells guards;
  std::atomic<SampleBlock*> sample_block[GuardCells::kMaxDepth];  // per level (sample_blocks.h)
  LastStack last_stacks[kIntervalKindCount];                      // indexed by kind
  // The end of the next interval on the thread's CPU clock; 0: not set. Set by the engine before
  // the thread's first signal; when the engine stops, it accounts for the time that is due.
  std::atomic<Nanos> cpu_due_ns;
  // The time on the thread's CPU clock until which no cpu sample is taken; 0: the last cpu sample
  // was short (HandlerThrottle in sampling/cpu_sampling.cc).
  std::atomic<Nanos> cpu_throttled_until_ns;
  // The CPU time of the thread up to which the share for long walks has been spent
  // (stack/root_budget.h).
  std::atomic<Nanos> walk_account_ns;
  // The end (CLOCK_MONOTONIC) of the last slow call whose sample lacks its root, and its place
  // (EndedCall::PlaceOf). Used by engines/method.
  std::atomic<Nanos> rootless_call_end_ns;
  std::atomic<uint64_t> rootless_call_place;
  // True if a handler of another kind has taken the cpu sample of a signal that might still arrive.
  std::atomic<bool> cpu_piggybacked;

  // True while one of our handlers runs on the thread and blocks our signals. Set by the handler;
  // relaxed: other threads read the state of a past moment anyway.
  std::atomic<bool> in_handler;

  // --- used for wall samples, as is their last stack: owned by the thread from the signal to its
  // --- answer, otherwise by the wall engine. relaxed, except the answer, whose release and acquire
  // --- hand the members over

  std::atomic<ThreadActivity> wall_activity;  // activity in the previous wall sample
  std::atomic<bool> wall_lacks_tables;        // Stack::lacks_tables of the previous wall sample
  std::atomic<uint32_t> run;                  // the run of the sampler that these members belong to
  std::atomic<Nanos> wall_baseline_ns;        // elapsed time is accounted for up to here
  std::atomic<Nanos> wall_previous_ns;        // time of the previous wall sample
  // The ticks in windows (SamplingState) that have been accounted for.
  std::atomic<Nanos> wall_ticks_in_windows_ns;
  std::atomic<uint64_t> wall_sp;  // stack pointer in the previous wall sample
  // The time of the engine's last look at the thread's CPU clock, and the reading.
  std::atomic<Nanos> wall_look_ns;
  std::atomic<Nanos> wall_look_cpu_ns;
  // The thread's CPU clock at the end of its handler; 0: no answer yet; kNotSignalled: no signal
  // was sent.
  std::atomic<Nanos> wall_answer_ns;

  // The weight, in the unit of the kind, that was due and could not be recorded; by LossIndex.
  // Added by handlers and engines with release; taken by the registry with exchange(0) and acquire,
  // so that it sees the thread of the slot.
  std::atomic<uint64_t> lost[kSampleLossCount];

  // Elapsed time in our handlers on this thread, and the part of it in stack walks. Added by
  // handlers, taken by the recorder with exchange(0); relaxed: plain counters.
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

// Every thread of the program has a slot, even if little is sampled: a kind costs a thread one word
// for each reason for which its samples can be lost. The bound is a page for seven threads.
static_assert(sizeof(ThreadSlot) <= 9 * alignof(ThreadSlot));

static_assert(std::atomic<Tid>::is_always_lock_free);
static_assert(std::atomic<void*>::is_always_lock_free);
static_assert(std::atomic<Nanos>::is_always_lock_free);
static_assert(std::atomic<CallTraceId>::is_always_lock_free);
static_assert(std::atomic<ThreadActivity>::is_always_lock_free);

}  // namespace jprof
