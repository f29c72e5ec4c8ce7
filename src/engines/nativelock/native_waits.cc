#include "engines/nativelock/native_waits.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>

#include "sigsafe/base/errno_saver.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/forked_child.h"
#include "sigsafe/os/signal_mask.h"
#include "sigsafe/sampling/sample_taker.h"
#include "sigsafe/threads/thread_slots.h"

namespace jprof {
namespace {

enum class State : uint32_t { kFree, kOpen, kEnding };

// The place with index i has the current wait of the thread whose slot has index i. `key` contains
// the number of the recording and the state. The thread sets the state to kOpen. Afterwards either
// End (on the same thread) or Close changes it to kEnding, and then counts the wait. The store of
// kOpen and the changes from kOpen are seq_cst, for the reason at g_recording. The store that frees
// the place is a release, with which an acquire load in Close pairs. The members other than `key`
// are relaxed: they are written before the store of kOpen, and read after the change to kEnding.
struct alignas(64) WaitPlace {
  std::atomic<uint64_t> key;
  std::atomic<Nanos> start_ns;
  std::atomic<uintptr_t> address;
  std::atomic<uint32_t> serial;  // serial of the thread
  std::atomic<int32_t> tid;
  std::atomic<int32_t> owner;
  std::atomic<WaitType> type;
};

// The array takes physical memory only for the pages that have been used.
constinit WaitPlace g_places[ThreadSlots::kCapacity] = {};

// The number of the recording that observes waits; 0 if there is none. Begin stores kOpen and then
// loads g_recording again; Close clears g_recording and then reads the places. These four
// operations are seq_cst. So either Begin sees that the recording has stopped, or Close sees that
// the place is kOpen.
std::atomic<uint32_t> g_recording{0};
// g_totals and g_interval_ns are relaxed: they are written before g_recording is set, and read only
// for waits whose Begin has seen g_recording set.
std::atomic<WaitTotals*> g_totals{nullptr};
std::atomic<Nanos> g_interval_ns{0};

constexpr uint64_t KeyOf(uint32_t recording, State state) {
  return uint64_t{recording} << 32 | static_cast<uint32_t>(state);
}

// Changes the state of a place from kOpen to `next`. Returns false if the place is not kOpen in
// this recording.
bool Take(WaitPlace& place, uint32_t recording, State next) {
  uint64_t open = KeyOf(recording, State::kOpen);
  return place.key.compare_exchange_strong(open, KeyOf(recording, next), std::memory_order_seq_cst);
}

// True if `code`, the result of the original function, shows that the thread has waited: the thread
// got the lock, perhaps from an owner that has died, or its wait timed out.
bool HasWaited(int code) { return code == 0 || code == ETIMEDOUT || code == EOWNERDEAD; }

// Returns the thread with the kernel's id `tid`; SampledThread() if that thread is not profiled or
// has ended.
SampledThread ThreadOf(int32_t tid) {
  ThreadSlots& slots = *GetThreadSlots();
  const uint32_t end = tid == 0 ? 0 : slots.HighWater();  // bounded by kCapacity
  for (uint32_t index = 0; index < end; ++index) {
    const ThreadSlot& thread = *slots.At(index);
    if (thread.tid.load(std::memory_order_acquire) == Tid{tid}) {
      return SampledThread::Platform(thread.serial.load(std::memory_order_relaxed), Tid{tid});
    }
  }
  return {};
}

// Counts the wait up to `now_ns`, and calls take(policy) if a sample is to be taken.
template <typename TakeIt>
void Count(const WaitPlace& place, Nanos now_ns, uint8_t flags, TakeIt take) {
  const Nanos interval_ns = g_interval_ns.load(std::memory_order_relaxed);
  const WaitType type = place.type.load(std::memory_order_relaxed);
  const int32_t tid = place.tid.load(std::memory_order_relaxed);
  NativeLockPayload payload{};
  payload.start_ns = place.start_ns.load(std::memory_order_relaxed);
  payload.waited_ns = std::max<Nanos>(now_ns - payload.start_ns, 0);
  payload.type = type;
  payload.flags = flags;
  g_totals.load(std::memory_order_relaxed)->Add(type, payload.waited_ns, interval_ns, tid);
  const uint64_t weight =
      LockSampling::WeightOf(payload.waited_ns, interval_ns,
                             static_cast<uint64_t>(now_ns) ^ static_cast<uint64_t>(tid) << 32);
  if (weight == 0) return;
  payload.address = place.address.load(std::memory_order_relaxed);
  payload.owner = ForPayload(ThreadOf(place.owner.load(std::memory_order_relaxed)));
  take(NativeLockSampling(weight, payload));
}

// The source of the stack for a wait that goes on. The stack of the waiting thread is not walked.
// The result has one frame, which says that the thread is still waiting.
class StillWaiting {
 public:
  static constexpr bool kNeedsBuffer = true;
  SampledWalk Walk(const WalkEnvironment&, ThreadSlot&, const Subject&,
                   const WalkBuffer& buffer) const {
    buffer.frames[0] = OutcomeFrame(WalkOutcome::kStillWaiting);
    return {{buffer.frames, 1, false}, true};
  }
};

// Counts a wait that goes on at the stop, and perhaps samples it. Does nothing if the waiting
// thread has ended: a thread that is cancelled while it waits never calls End.
void CountUnfinished(ThreadSlot* taker, uint32_t index, const WaitPlace& place) {
  const ThreadSlot& thread = *GetThreadSlots()->At(index);
  const uint32_t serial = place.serial.load(std::memory_order_relaxed);
  const Tid tid{place.tid.load(std::memory_order_relaxed)};
  if (thread.tid.load(std::memory_order_acquire) != tid ||
      thread.serial.load(std::memory_order_relaxed) != serial) {
    return;
  }
  Count(place, MonotonicNanos(), NativeLockPayload::kUnfinished,
        [&](const NativeLockSampling& policy) {
          TakeSample(taker, Subject::Other(SampledThread::Platform(serial, tid)), StillWaiting(),
                     policy);
        });
}

}  // namespace

void NativeWaits::Open(Nanos interval_ns, WaitTotals& totals) {
  static uint32_t recordings = 0;
  g_totals.store(&totals, std::memory_order_relaxed);
  g_interval_ns.store(interval_ns, std::memory_order_relaxed);
  g_recording.store(++recordings, std::memory_order_seq_cst);
}

bool NativeWaits::Close(ThreadSlot* taker) {
  const uint32_t recording = g_recording.exchange(0, std::memory_order_seq_cst);
  if (recording == 0) return true;
  const uint32_t end = GetThreadSlots()->HighWater();
  for (uint32_t index = 0; index < end; ++index) {
    if (Take(g_places[index], recording, State::kEnding)) {
      CountUnfinished(taker, index, g_places[index]);
      g_places[index].key.store(0, std::memory_order_release);
    }
  }
  const Nanos deadline_ns = MonotonicNanos() + kPatienceNs;
  constexpr useconds_t kPollUs = 100;
  for (uint32_t index = 0; index < end; ++index) {
    while (g_places[index].key.load(std::memory_order_acquire) ==
           KeyOf(recording, State::kEnding)) {
      if (MonotonicNanos() > deadline_ns) return false;
      usleep(kPollUs);
    }
  }
  return true;
}

StartedNativeWait NativeWaits::Begin(WaitType type, uintptr_t address, int32_t owner) {
  const uint32_t recording = g_recording.load(std::memory_order_acquire);
  if (recording == 0 || InForkedChild()) return {};
  const ErrnoSaver saver;
  const ThreadSlot* const thread = GetThreadSlots()->FindForCurrentThread();
  if (thread == nullptr) return {};
  WaitPlace& place = g_places[thread->index];
  const uint32_t serial = thread->serial.load(std::memory_order_relaxed);
  // If the thread is in another wait already, a signal handler of the program has interrupted that
  // wait and waits itself. Only the outer wait is observed.
  if (place.key.load(std::memory_order_relaxed) >> 32 == recording &&
      place.serial.load(std::memory_order_relaxed) == serial) {
    return {};
  }
  place.address.store(address, std::memory_order_relaxed);
  place.serial.store(serial, std::memory_order_relaxed);
  place.tid.store(Value(thread->tid.load(std::memory_order_relaxed)), std::memory_order_relaxed);
  place.owner.store(owner, std::memory_order_relaxed);
  place.type.store(type, std::memory_order_relaxed);
  place.start_ns.store(MonotonicNanos(), std::memory_order_relaxed);
  place.key.store(KeyOf(recording, State::kOpen), std::memory_order_seq_cst);
  if (g_recording.load(std::memory_order_seq_cst) != recording) {
    if (Take(place, recording, State::kFree)) place.key.store(0, std::memory_order_release);
    return {};
  }
  return {thread->index, recording};
}

void NativeWaits::End(const StartedNativeWait& wait, int code, const StackPosition& call) {
  WaitPlace& place = g_places[wait.place];
  if (!Take(place, wait.recording, State::kEnding)) return;
  const ErrnoSaver saver;
  if (HasWaited(code)) {
    Count(place, MonotonicNanos(), 0, [&call](const NativeLockSampling& policy) {
      const OpenFaultSignalsScope faults;
      TakeSample(Subject::Taker(), CallerOfHook(call, faults.are_open()), policy);
    });
  }
  place.key.store(0, std::memory_order_release);
}

}  // namespace jprof
