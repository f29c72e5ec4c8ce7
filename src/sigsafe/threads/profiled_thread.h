// ProfiledThread: what the profiler knows of one thread and a handler on that thread needs.
//
// Records live in one region for the life of the process (thread_records.h) and are never freed,
// only released: a stale pointer reads a record that says it belongs to somebody else. Written by
// the thread itself or, where the member says so, by the thread registry.
#pragma once

#include <atomic>
#include <cstdint>

#include "sigsafe/base/lost_reason.h"
#include "sigsafe/base/priming_path.h"
#include "sigsafe/base/sample_kinds.h"
#include "sigsafe/base/types.h"
#include "sigsafe/memory/guard_cells.h"
#include "sigsafe/threads/thread_activity.h"

namespace jprof {

struct SampleBlock;

// In place of an answer to the wall clock's signal: none was sent.
inline constexpr Nanos kNotSignalled = -1;

// The stack of a thread's previous sample of a kind, for time that no handler accounts for.
// relaxed: read by the thread itself, or when its handlers have handed it over (below).
struct LastStack {
  std::atomic<TraceId> trace;           // kNoTrace: no sample, or a stack that was not recorded
  std::atomic<int64_t> virtual_thread;  // 0: the thread's own
};

struct alignas(64) ProfiledThread {
  // --- identity; written at registration or claim, before the record is found through tid ---
  // 0: released. release store, acquire loads: pairs registration with whoever finds the record.
  std::atomic<Tid> tid;
  // Numbers threads over the whole process, so that a reused tid is another thread.
  std::atomic<uint32_t> serial;
  // Place in the region; constant.
  uint32_t index;
  // When the record was taken for this thread (CLOCK_MONOTONIC).
  std::atomic<Nanos> claimed_ns;
  // How the thread got the record.
  std::atomic<PrimingPath> path;
  // Whether the thread knows the record: until then it is the registry's alone.
  std::atomic<bool> adopted;

  // --- written by the registry while the thread lives, read by handlers on it ---
  // JNIEnv* while the thread is attached to the JVM, else null. Relaxed would do on the own
  // thread; a thread found by GetAllThreads gets it from outside, hence release/acquire.
  std::atomic<void*> jni_env;
  // java.lang.Thread.threadId() of the thread itself; 0: not known. Relaxed: set before jni_env.
  std::atomic<int64_t> java_id;

  // Where the thread's stack lies; 0: not known, and each may be while the other is. Relaxed: taken
  // by the thread itself where it announces itself, else set from outside at some later time.
  std::atomic<uintptr_t> stack_low;   // its lowest address
  std::atomic<uintptr_t> stack_high;  // the first address above it

  // --- used by handlers on this thread alone (relaxed: ordering against the own thread only) ---
  GuardCells guards;
  std::atomic<SampleBlock*> sample_block[GuardCells::kMaxDepth];  // by level (sample_blocks.h)
  LastStack last_stacks[kSampleKindCount];                        // by kind
  // On the thread's CPU clock, where the next interval is complete; 0: nobody has said. Set by the
  // engine before the thread's first signal; at its end the engine accounts for what is due.
  std::atomic<Nanos> cpu_due_ns;
  // A handler of another kind has taken a cpu sample whose own signal may still come.
  std::atomic<bool> cpu_piggybacked;
  // On the thread's CPU clock, until when no cpu sample is taken; 0: the last one was short
  // (sampling/handler_throttle.h).
  std::atomic<Nanos> cpu_throttled_until_ns;

  // --- the wall clock's, with its last stack: the thread's from the signal to its answer, the wall
  // engine's otherwise; so relaxed, but for the answer, whose release and acquire hand them over
  // ---
  std::atomic<uint32_t> session;              // the session that the following belong to
  std::atomic<Nanos> wall_baseline_ns;        // elapsed time is accounted for up to here
  std::atomic<Nanos> wall_previous_ns;        // time of the previous wall sample,
  std::atomic<ThreadActivity> wall_activity;  // the thread's activity in it,
  std::atomic<uint64_t> wall_sp;              // and its stack pointer
  // When the engine last looked at the thread's CPU clock, and what it showed.
  std::atomic<Nanos> wall_look_ns;
  std::atomic<Nanos> wall_look_cpu_ns;
  // The thread's CPU clock when its handler had done all but return; 0: no answer yet; or
  // kNotSignalled.
  std::atomic<Nanos> wall_answer_ns;

  // One of our handlers is at work on the thread: it blocks our signals meanwhile. Set by the
  // handler; relaxed: whoever else reads it is asking about a moment that has passed.
  std::atomic<bool> in_handler;

  // Weight, in the unit of the kind, that was due and could not be recorded. Added by handlers and
  // engines, taken by the registry with exchange(0), which sees whose record it was.
  std::atomic<uint64_t> lost[kSampleKindCount][kLostReasonCount];

  // Elapsed time inside our handlers on this thread, and of it in stack walks. Added by handlers,
  // taken by the recorder with exchange(0); relaxed: as above.
  std::atomic<uint64_t> handler_ns;
  std::atomic<uint64_t> walk_ns;

  LastStack& LastStackOf(SampleKind kind) { return last_stacks[static_cast<size_t>(kind)]; }
  const LastStack& LastStackOf(SampleKind kind) const {
    return last_stacks[static_cast<size_t>(kind)];
  }

  void AddLost(SampleKind kind, LostReason reason, uint64_t weight) {
    lost[static_cast<size_t>(kind)][static_cast<size_t>(reason)].fetch_add(
        weight, std::memory_order_release);
  }
};

static_assert(std::atomic<Tid>::is_always_lock_free);
static_assert(std::atomic<void*>::is_always_lock_free);
static_assert(std::atomic<Nanos>::is_always_lock_free);
static_assert(std::atomic<TraceId>::is_always_lock_free);
static_assert(std::atomic<ThreadActivity>::is_always_lock_free);

}  // namespace jprof
