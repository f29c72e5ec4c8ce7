#include "sigsafe/sampling/sample_taker.h"

#include "sigsafe/hotspot/virtual_thread.h"
#include "sigsafe/native/native_registers.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/fault_mask.h"
#include "sigsafe/sampling/activity.h"
#include "sigsafe/sampling/cpu_accounting.h"
#include "sigsafe/sampling/cpu_rest.h"
#include "sigsafe/sampling/kernel_frames.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/sampling/wall_accounting.h"
#include "sigsafe/stack/stack_walker.h"
#include "sigsafe/stack/walk_scope.h"
#include "sigsafe/threads/current_thread.h"
#include "sigsafe/threads/thread_records.h"

namespace jprof {
namespace {

// release by SetThreadRecords, acquire by handlers.
std::atomic<ThreadRecords*> g_records{nullptr};

constinit SamplingState g_sampling;
std::atomic<bool> g_process_timer_is_ours{false};
std::atomic<uint64_t> g_lost_without_thread[kSampleKindCount];

ProfiledThread* RecordOf(const SampleRequest& request) {
  ThreadRecords* records = g_records.load(std::memory_order_acquire);
  if (records == nullptr) return nullptr;
  if (request.record_index == kWhoeverRuns) return records->FindForCurrentThread();
  return g_sampling.unknown_threads.load(std::memory_order_relaxed) == UnknownThreads::kClaimRecord
             ? records->ForCurrentThread(request.record_index)
             : records->Adopt(request.record_index);
}

// Time that no sample covers stays due: the thread's next sample stands for it too. Only what
// nobody keeps count of is lost.
void AccountRefused(ProfiledThread* thread, const SampleRequest& request) {
  if (request.kind == SampleKind::kCpu && thread->cpu_due_ns.load(std::memory_order_relaxed) == 0) {
    thread->AddLost(request.kind, LostReason::kGuardRefused, request.intervals);
  }
}

// The weight of the sample; 0: its time is accounted for already.
uint32_t CpuIntervals(ProfiledThread* thread, const SampleRequest& request) {
  if (thread->cpu_due_ns.load(std::memory_order_relaxed) == 0) return request.intervals;
  // A handler that was held up while its session stopped and one without CPU samples began.
  if (g_sampling.cpu_interval_ns == 0) return 0;
  return AccountCpuTime(thread, g_sampling.cpu_interval_ns, ThreadCpuNanos());
}

// Everything but the stack.
Sample Account(ProfiledThread* thread, const SampleRequest& request) {
  Sample sample{};
  sample.time_ns = MonotonicNanos();
  sample.kind = request.kind;
  sample.activity = request.activity;
  if (request.kind == SampleKind::kCpu) {
    sample.intervals = CpuIntervals(thread, request);
  } else {
    const WallSpan span = AccountWallTime(thread, g_sampling, sample.time_ns);
    sample.intervals = span.intervals;
    sample.span_ns = span.elapsed_ns;
  }
  sample.thread_serial = thread->serial.load(std::memory_order_relaxed);
  sample.tid = thread->tid.load(std::memory_order_relaxed);
  return sample;
}

void Deliver(ProfiledThread* thread, const CallTraceStorage::Guard& table, const Sample& sample) {
  if (sample.trace == kDroppedTrace) {
    thread->AddLost(sample.kind, LostReason::kStorageFull, sample.intervals);
  } else if (!g_sampling.samples->Push(*thread, table.level(), sample)) {
    thread->AddLost(sample.kind, LostReason::kSamplesFull, sample.intervals);
  }
}

StackBounds StackOf(const ProfiledThread& thread) {
  const StackBounds bounds{thread.stack_low.load(std::memory_order_relaxed),
                           thread.stack_high.load(std::memory_order_relaxed)};
  return bounds.low != 0 && bounds.high != 0 ? bounds : StackBounds();
}

// The virtual thread that the thread runs; 0: none.
int64_t VirtualThreadOn(const WalkEnvironment& environment, const ProfiledThread& thread) {
  return environment.vm == nullptr
             ? 0
             : MountedThreadId(*environment.vm, environment.faults,
                               thread.jni_env.load(std::memory_order_acquire),
                               thread.java_id.load(std::memory_order_relaxed));
}

// A stack, and the virtual thread that it belongs to.
struct Walked {
  const WalkEnvironment* environment;
  const Stack* stack;  // nullptr: there was no buffer for it
  int64_t virtual_thread;
};

// Before the sample that needs it. Its loads are guarded: under the guard of the tables they end in
// an answer like any other.
void PublishName(const ProfiledThread& thread, const Walked& walked) {
  if (g_sampling.names == nullptr || g_sampling.names->Has(walked.virtual_thread)) return;
  ThreadNameBytes name;
  if (CopyMountedThreadName(*walked.environment->vm, walked.environment->faults,
                            thread.jni_env.load(std::memory_order_acquire), walked.virtual_thread,
                            &name)) {
    g_sampling.names->Publish(walked.virtual_thread, name);
  }
}

uint64_t StackPointerAt(const SampleRequest& request) {
  return NativeRegistersOf(static_cast<const ucontext_t*>(request.ucontext)).sp;
}

// Under one guard from the timestamp to the push: once the guards of an epoch have cleared, no
// sample of it can still appear.
void Record(ProfiledThread* thread, const SampleRequest& request, const Walked& walked) {
  const CallTraceStorage::Guard table = g_sampling.traces.Enter(thread->guards);
  if (table.refused()) AccountRefused(thread, request);
  if (!table) return;
  Sample sample = Account(thread, request);
  if (sample.intervals == 0) return;
  if (walked.stack == nullptr) {
    thread->AddLost(request.kind, LostReason::kNoWalkBuffer, sample.intervals);
    return;
  }
  sample.virtual_thread = walked.virtual_thread;
  if (sample.virtual_thread != 0) PublishName(*thread, walked);
  sample.trace = table->Put(*walked.stack);
  if (request.kind == SampleKind::kCpu) {
    thread->cpu_virtual_thread.store(sample.virtual_thread, std::memory_order_relaxed);
    thread->cpu_trace.store(sample.trace, std::memory_order_relaxed);
  } else if (sample.trace != kDroppedTrace) {
    thread->wall_activity.store(sample.activity, std::memory_order_relaxed);
    thread->wall_sp.store(StackPointerAt(request), std::memory_order_relaxed);
    thread->wall_virtual_thread.store(sample.virtual_thread, std::memory_order_relaxed);
    thread->wall_trace.store(sample.trace, std::memory_order_relaxed);
  }
  Deliver(thread, table, sample);
}

// Adds the time from its creation to its end to the thread's counters. Elapsed time, for reading
// the CPU clock would cost more than what it measures: a handler that loses the processor counts
// the time without it.
class HandlerTime {
 public:
  // `rest` is told, too, if there is one.
  HandlerTime(ProfiledThread* thread, CpuRest* rest)
      : thread_(thread), rest_(rest), start_ns_(MonotonicNanos()) {
    thread_->in_handler.store(true, std::memory_order_relaxed);
  }
  ~HandlerTime() {
    const uint64_t elapsed_ns = Elapsed();
    thread_->in_handler.store(false, std::memory_order_relaxed);
    thread_->handler_ns.fetch_add(elapsed_ns, std::memory_order_relaxed);
    if (rest_ != nullptr) rest_->End(static_cast<Nanos>(elapsed_ns));
  }
  HandlerTime(const HandlerTime&) = delete;
  HandlerTime& operator=(const HandlerTime&) = delete;

  void AddWalk() { thread_->walk_ns.fetch_add(Elapsed(), std::memory_order_relaxed); }

 private:
  uint64_t Elapsed() const { return static_cast<uint64_t>(MonotonicNanos() - start_ns_); }

  ProfiledThread* const thread_;
  CpuRest* const rest_;
  const Nanos start_ns_;
};

// Whether the thread's clock has passed a cut. Spares the walk where a signal is for any thread.
bool IsDue(const ProfiledThread* thread) {
  if (thread == nullptr) return false;
  const Nanos due_ns = thread->cpu_due_ns.load(std::memory_order_relaxed);
  return due_ns != 0 && ThreadCpuNanos() >= due_ns;
}

// With the kernel's frames, if there are any, in front of the others.
Stack Walk(ProfiledThread* thread, const SampleRequest& request, WalkUntil until,
           const WalkScope& scope) {
  const WalkBuffer& buffer = scope.buffer();
  WalkBuffer rest = buffer;
  uint32_t kernel = 0;
  if (request.kind == SampleKind::kCpu) {
    kernel = PushKernelFrames(thread->index, buffer.frames, buffer.depth - buffer.root_depth - 1);
    rest.frames += kernel;
    rest.depth -= kernel;
  }
  Stack stack =
      WalkStack(scope.environment(),
                {thread->jni_env.load(std::memory_order_acquire), StackOf(*thread), until},
                request.ucontext, rest);
  stack.frames -= kernel;
  stack.count += kernel;
  return stack;
}

// A thread that a wall signal has found running, and whose CPU time is due as well: its kernel
// timer has not been looked at yet, or its signal waits for this handler to end. One that waits
// used that time before, under another stack.
void TakeCpuAlong(ProfiledThread* thread, const SampleRequest& wall, const Walked& walked) {
  if (wall.activity != ThreadActivity::kRunning || !IsDue(thread)) return;
  Record(thread, {SampleKind::kCpu, ThreadActivity::kDefault, wall.record_index, 0, wall.ucontext},
         walked);
  thread->cpu_taken_along.store(true, std::memory_order_relaxed);
}

// Whether the cpu sample that this signal is for has been taken along already.
bool WasTakenAlong(ProfiledThread* thread, const SampleRequest& request) {
  if (request.kind != SampleKind::kCpu) return false;
  if (!thread->cpu_taken_along.load(std::memory_order_relaxed)) return false;
  thread->cpu_taken_along.store(false, std::memory_order_relaxed);
  return !IsDue(thread);
}

// While it lives the wall clock's members of the record are this thread's; at its end the engine
// may go by them.
class WallAnswer {
 public:
  WallAnswer(ProfiledThread* thread, SampleKind kind)
      : thread_(kind == SampleKind::kWall ? thread : nullptr) {
    if (thread_ != nullptr) thread_->wall_trace.store(kNoTrace, std::memory_order_relaxed);
  }
  ~WallAnswer() {
    if (thread_ != nullptr) {
      thread_->wall_answer_ns.store(ThreadCpuNanos(), std::memory_order_release);
    }
  }
  WallAnswer(const WallAnswer&) = delete;
  WallAnswer& operator=(const WallAnswer&) = delete;

 private:
  ProfiledThread* const thread_;
};

}  // namespace

SamplingState& Sampling() { return g_sampling; }

std::atomic<bool>& ProcessTimerIsOurs() { return g_process_timer_is_ours; }

void SetThreadRecords(ThreadRecords* records) {
  g_records.store(records, std::memory_order_release);
}

std::atomic<uint64_t>& LostWithoutThread(SampleKind kind) {
  return g_lost_without_thread[static_cast<size_t>(kind)];
}

std::optional<uint32_t> RecordCalledByWallClock() {
  ThreadRecords* records = g_records.load(std::memory_order_acquire);
  const ProfiledThread* thread = records == nullptr ? nullptr : records->FindForCurrentThread();
  const bool called =
      thread != nullptr && thread->wall_answer_ns.load(std::memory_order_relaxed) == 0;
  return called ? std::optional(thread->index) : std::nullopt;
}

void AdoptRecord(uint32_t record_index) {
  ThreadRecords* records = g_records.load(std::memory_order_acquire);
  if (records != nullptr) records->Adopt(record_index);
}

void RecordThreadEnd(ProfiledThread* thread, SampleKind kind) {
  const bool is_cpu = kind == SampleKind::kCpu;
  if (is_cpu && thread->cpu_due_ns.load(std::memory_order_relaxed) == 0) return;
  const CallTraceStorage::Guard table = g_sampling.traces.Enter(thread->guards);
  if (!table && !table.refused()) return;
  Sample sample = Account(thread, {kind, ThreadActivity::kDefault, 0, 0, nullptr});
  if (sample.intervals == 0) return;
  if (table.refused()) {  // there is no later sample that could stand for it
    thread->AddLost(kind, LostReason::kGuardRefused, sample.intervals);
    return;
  }
  sample.trace = (is_cpu ? thread->cpu_trace : thread->wall_trace).load(std::memory_order_relaxed);
  if (Value(sample.trace) >> 32 != table->epoch()) {
    const Frame frame = OutcomeFrame(WalkOutcome::kThreadEnd);
    sample.trace = table->Put({&frame, 1, false});
  } else {
    sample.virtual_thread = (is_cpu ? thread->cpu_virtual_thread : thread->wall_virtual_thread)
                                .load(std::memory_order_relaxed);
  }
  Deliver(thread, table, sample);
}

void TakeSample(const SampleRequest& request) {
  // A late signal is not walked and not charged to the next session. Record asks again.
  if (!g_sampling.traces.active()) return;
  ProfiledThread* thread = RecordOf(request);
  if (request.record_index == kWhoeverRuns && !IsDue(thread)) return;
  if (thread == nullptr) {
    if (CurrentThreadHasEnded()) return;  // accounted for at its end
    LostWithoutThread(request.kind).fetch_add(request.intervals, std::memory_order_relaxed);
    return;
  }
  if (WasTakenAlong(thread, request)) return;
  CpuRest rest(thread);
  // Only where the time stays due.
  const bool may_rest =
      request.kind == SampleKind::kCpu && thread->cpu_due_ns.load(std::memory_order_relaxed) != 0;
  if (may_rest && rest.MustRest()) return;
  HandlerTime time(thread, may_rest ? &rest : nullptr);
  const WallAnswer answer(thread, request.kind);
  const WalkScope scope;
  if (!scope) {
    Record(thread, request, {});
    return;
  }
  // Walk first, guard second: a walk that has to be abandoned must not leave a guard behind.
  const WalkEnvironment& environment = scope.environment();
  const bool may_read = OpenFaultSignals(static_cast<const ucontext_t*>(request.ucontext));
  const int64_t mounted = may_read ? VirtualThreadOn(environment, *thread) : 0;
  const WalkUntil until = mounted == 0 ? WalkUntil::kThreadEntry : WalkUntil::kMount;
  const Stack stack =
      may_read ? Walk(thread, request, until, scope)
               : UnwalkedStack(WalkOutcome::kFaultsBlocked, request.ucontext, scope.buffer());
  time.AddWalk();
  const LoadFaults faults = may_read ? environment.faults : LoadFaults::kFatal;
  // A stack without a place where it was mounted is the carrier's.
  const Walked walked{&environment, &stack, stack.reaches_entry ? 0 : mounted};
  SampleRequest refined = request;
  refined.activity = Refined(request.activity, *thread, environment.vm, faults);
  Record(thread, refined, walked);
  if (request.kind == SampleKind::kWall) TakeCpuAlong(thread, request, walked);
}

}  // namespace jprof
