#include "sigsafe/sampling/sample_taker.h"

#include "sigsafe/memory/ref_count_guard.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/sampling/wall_accounting.h"
#include "sigsafe/stack/stack_walker.h"
#include "sigsafe/stack/walk_buffers.h"
#include "sigsafe/threads/thread_records.h"

namespace jprof {
namespace {

// release by SetThreadRecords, acquire by handlers.
std::atomic<ThreadRecords*> g_records{nullptr};

std::atomic<SamplingState*> g_active{nullptr};
std::atomic<uint64_t> g_lost_without_thread[kSampleKindCount];

// Under one guard from the timestamp to the push: once a stop has seen the guard clear, no sample
// of this session can still appear in its ring.
void Record(ProfiledThread* thread, const SampleRequest& request, const Stack* stack) {
  const RefCountGuard<SamplingState> state(thread->guards, g_active);
  if (!state) return;
  Sample sample{};
  sample.time_ns = MonotonicNanos();
  sample.kind = request.kind;
  sample.activity = request.activity;
  sample.intervals = request.intervals;
  if (request.kind == SampleKind::kWall) {
    const WallSpan span = AccountWallTime(thread, *state.get(), sample.time_ns);
    if (span.intervals == 0) return;
    sample.intervals = span.intervals;
    sample.span_ns = span.elapsed_ns;
  }
  if (stack == nullptr) {
    thread->AddLost(request.kind, LostReason::kNoWalkBuffer, sample.intervals);
    return;
  }
  sample.trace = state->traces.Put(*stack);
  if (sample.trace == kDroppedTrace) {
    thread->AddLost(request.kind, LostReason::kStorageFull, sample.intervals);
    return;
  }
  sample.thread_serial = thread->serial.load(std::memory_order_relaxed);
  sample.tid = thread->tid.load(std::memory_order_relaxed);
  if (!state->ring.Push(sample)) {
    thread->AddLost(request.kind, LostReason::kRingFull, sample.intervals);
  }
}

}  // namespace

std::atomic<SamplingState*>& ActiveSampling() { return g_active; }

void SetThreadRecords(ThreadRecords* records) {
  g_records.store(records, std::memory_order_release);
}

std::atomic<uint64_t>& LostWithoutThread(SampleKind kind) {
  return g_lost_without_thread[static_cast<size_t>(kind)];
}

void TakeSample(const SampleRequest& request) {
  // A late signal is not walked and not charged to the next session. relaxed: Record asks again.
  if (g_active.load(std::memory_order_relaxed) == nullptr) return;
  ThreadRecords* records = g_records.load(std::memory_order_acquire);
  ProfiledThread* thread =
      records == nullptr ? nullptr : records->ForCurrentThread(request.record_index);
  if (thread == nullptr) {
    LostWithoutThread(request.kind).fetch_add(request.intervals, std::memory_order_relaxed);
    return;
  }
  WalkBuffers* buffers = WalkBuffers::Active();
  WalkBuffer buffer;
  if (buffers == nullptr || !buffers->Claim(&buffer)) {
    Record(thread, request, nullptr);
    return;
  }
  // Walk first, guard second: a walk that has to be abandoned must not leave a guard behind.
  const Stack stack =
      WalkStack(thread->jni_env.load(std::memory_order_acquire), request.ucontext, buffer);
  Record(thread, request, &stack);
  buffers->Release(buffer);
}

}  // namespace jprof
