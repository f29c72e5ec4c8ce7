#include "engines/lock/park_waits.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "answers/agent_answer.h"
#include "engines/lock/park_permit.h"
#include "engines/lock/park_probes.h"
#include "engines/lock/park_wall_time.h"
#include "engines/lock/thread_waits.h"
#include "jvm/jvm_errors.h"
#include "jvm/jvmti_ptr.h"
#include "sigsafe/base/errno_saver.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/threads/current_thread.h"

namespace jprof {

namespace {

constexpr char kLockSupport[] = "Ljava/util/concurrent/locks/LockSupport;";

// The ProbeContext has the objects that probes use, even after the recording. It is never freed.
// g_context is stored with release before the first probe can run, and loaded with acquire in
// probes.
struct ProbeContext {
  jvmtiEnv* jvmti;
  SampledClasses* classes;
  const ThreadIds* ids;
  jclass exclusive;  // ReentrantLock.Sync, a global reference
  jfieldID blocker;  // Thread.parkBlocker
  jclass ownable;    // AbstractOwnableSynchronizer, a global reference
  jfieldID owner;    // AbstractOwnableSynchronizer.exclusiveOwnerThread
};
std::atomic<const ProbeContext*> g_context{nullptr};

// The slot that takes the samples of parks that go on at the stop. Stop sets the slot. OnEnded
// reads it only for such parks, which Stop records on its own thread.
constinit ThreadSlot* g_taker = nullptr;

// Makes the ProbeContext, unless an earlier recording has made it.
Status Publish(JNIEnv* jni, JvmEvents& events, SampledClasses& classes, const ThreadIds& ids) {
  if (g_context.load(std::memory_order_relaxed) != nullptr) return {};
  const LocalFrame frame(jni, 3);
  const jclass exclusive = jni->FindClass("java/util/concurrent/locks/ReentrantLock$Sync");
  const jclass ownable =
      exclusive == nullptr
          ? nullptr
          : jni->FindClass("java/util/concurrent/locks/AbstractOwnableSynchronizer");
  const jfieldID owner =
      ownable == nullptr ? nullptr
                         : jni->GetFieldID(ownable, "exclusiveOwnerThread", "Ljava/lang/Thread;");
  const jclass thread = owner == nullptr ? nullptr : jni->FindClass("java/lang/Thread");
  const jfieldID blocker =
      thread == nullptr ? nullptr : jni->GetFieldID(thread, "parkBlocker", "Ljava/lang/Object;");
  if (blocker == nullptr) {
    jni->ExceptionClear();
    return Error(
        "locks of this JVM are not known: ReentrantLock has no Sync, or a lock no owner, or a "
        "thread no blocker, or the JVM is out of memory");
  }
  const auto kept = static_cast<jclass>(jni->NewGlobalRef(exclusive));
  const auto kept_ownable = static_cast<jclass>(jni->NewGlobalRef(ownable));
  if (kept == nullptr || kept_ownable == nullptr) {
    jni->DeleteGlobalRef(kept);
    return NoMemoryInJvm("for a reference to ReentrantLock");
  }
  g_context.store(
      new ProbeContext{events.jvmti(), &classes, &ids, kept, blocker, kept_ownable, owner},
      std::memory_order_release);
  return {};
}

// Returns the thread that owns the lock `blocker` now. Returns SampledThread() if no thread owns
// it, or if `blocker` is not a lock that knows its owner.
SampledThread OwnerNow(JNIEnv* jni, const ProbeContext& context, jobject blocker) {
  if (blocker == nullptr || jni->IsInstanceOf(blocker, context.ownable) == JNI_FALSE) return {};
  const jthread owner = jni->GetObjectField(blocker, context.owner);
  const SampledThread found = ThreadIds::Signed(context.ids->SignedOf(jni, owner));
  jni->DeleteLocalRef(owner);
  return found;
}

// Returns where the permit of a thread is kept. Searches for that place at each start of a
// recording, until one search has found it. The search parks the calling thread. Probes of an
// earlier recording might still be in LockSupport then, but such probes do nothing between
// recordings.
ParkPermit PermitOfProcess(jvmtiEnv* jvmti, JNIEnv* jni, const VmStructs& structs) {
  static std::mutex mutex;
  static std::optional<ParkPermit> found;  // guarded by mutex
  const std::lock_guard lock(mutex);
  const std::optional<uint64_t> bytes = structs.tables.SizeOf("JavaThread");
  if (!found && bytes) found = FindParkPermit(jvmti, jni, *bytes);
  return found.value_or(ParkPermit());
}

}  // namespace

ParkWaits::Probed::Probed(JvmEvents& events, ProbeRound& round, const char* methods,
                          const char* entry, bool has_exit)
    : entry_(entry),
      has_exit_(has_exit),
      installer_(events, round, *this,
                 {{.text = "java.util.concurrent.locks.LockSupport",
                   .class_name = "java/util/concurrent/locks/LockSupport",
                   .method = methods,
                   .descriptor = {}}},
                 ProbeInstaller::Unmatched::kExpected) {}

instrument::ProbeTarget ParkWaits::Probed::ProbedBy(bool) const {
  instrument::ProbeTarget target{.class_name = ParkProbes::kName};
  target.entry.name = entry_;
  if (!has_exit_) target.exit = target.exception = {};
  target.passes_parameters = true;
  return target;
}

std::optional<uint32_t> ParkWaits::Probed::NumberFor(JNIEnv*, TracedMethod method) {
  return method.name == "parkUntil" ? LockPayload::kIsDeadline : 0;
}

ParkWaits::ParkWaits(JvmEvents& events, ProbeRound& round, SampledClasses& classes)
    : events_(events),
      classes_(classes),
      parks_(events, round, "park*", "entry", true),
      unparks_(events, round, "unpark", "unparked", false) {}

Status ParkWaits::Start(JNIEnv* jni, const ThreadIds& ids, const VmStructs& structs,
                        WaitPurposes purposes) {
  Status done = Publish(jni, events_, classes_, ids);
  if (!done) return done;
  const Result<const ParkProbes*> probes = ParkProbes::OfProcess(jni);
  if (!probes) return probes.error();
  done = probes.value()->Bind(jni, OnEnded, OnCounted);
  if (done) {
    done = probes.value()->Open(jni, PermitOfProcess(events_.jvmti(), jni, structs), purposes,
                                ThreadWaits::OfProcess().interval_ns());
  }
  if (!done) return done;
  probes_ = probes.value();
  done = parks_.installer().Install();
  // For `wall`, the thread that ends a wait is of no interest.
  return done && purposes.lock ? unparks_.installer().Install() : done;
}

Status ParkWaits::OpenWall(JNIEnv* jni, Nanos interval_ns) {
  return probes_->OpenWall(jni, interval_ns);
}

void ParkWaits::SampleWaiting(JNIEnv* jni, ThreadSlot* taker, bool is_stop) {
  if (probes_ == nullptr) return;
  ParkWallTime::SetTaker(taker);
  probes_->SampleWaiting(jni, is_stop);
}

// If a thread is parked and no probe has seen its park, the park began before Start.
void ParkWaits::RecordUnfinished(JNIEnv* jni, const std::vector<WaitingThread>& waiting,
                                 const MonitorWaits& monitors, ThreadSlot* taker) {
  const ProbeContext& context = *g_context.load(std::memory_order_acquire);
  ThreadWaits& waits = ThreadWaits::OfProcess();
  const Nanos now_ns = MonotonicNanos();
  const Nanos waited_ns = now_ns - monitors.start_ns();
  for (const WaitingThread& each : waiting) {
    constexpr jint kDepth = 3;  // the innermost frames are Unsafe.park and LockSupport.park
    if (!monitors.WaitedAtStart(each.id, WaitType::kPark) || each.type != WaitType::kPark ||
        probes_->IsParked(jni, each.thread) ||
        !HasFrameOf(events_.jvmti(), jni, each.thread, kDepth, kLockSupport)) {
      continue;
    }
    waits.Add(ThreadIds::SlotOf(each.id), WaitType::kPark, waited_ns);
    SampledWait wait{.type = WaitType::kPark,
                     .flags = LockPayload::kUnfinished,
                     .start_ns = monitors.start_ns(),
                     .waited_ns = waited_ns,
                     .weight = LockSampling::WeightOf(waited_ns, waits.interval_ns(),
                                                      static_cast<uint64_t>(each.id))};
    if (wait.weight == 0) continue;
    wait.waiting = ThreadIds::Sampled(each.id, false);
    wait.thread = each.thread;
    wait.taker = taker;
    wait.object = jni->GetObjectField(each.thread, context.blocker);
    wait.owner = OwnerNow(jni, context, wait.object);
    SampleWait(events_.jvmti(), jni, classes_, wait);
    jni->DeleteLocalRef(wait.object);
  }
}

bool ParkWaits::Stop(JNIEnv* jni, ThreadSlot* taker) {
  g_taker = taker;
  if (const ParkProbes* const probes = std::exchange(probes_, nullptr)) probes->Close(jni);
  const bool parks_may_go = parks_.installer().Remove();
  return unparks_.installer().Remove() && parks_may_go;
}

std::vector<std::string> ParkWaits::TakeNotes() {
  std::vector<std::string> notes = parks_.installer().TakeNotes();
  AppendNotes(unparks_.installer().TakeNotes(), notes);
  return notes;
}

// Samples a wait. Runs in a probe on the thread that was parked, even long after the recording. For
// a wait that goes on at the stop, runs on the stopping thread in ParkProbes::Close.
void ParkWaits::OnEnded(JNIEnv* jni, jclass, jthread thread, jobject blocker, jlong start_ns,
                        jlong waited_ns, jlong timeout, jint flags, jlong owner, jthread waker,
                        jlong weight, jlong holder, jlong holder_stack, jlong waker_stack) {
  const ErrnoSaver saver;
  const ProbeContext& context = *g_context.load(std::memory_order_acquire);
  const ThreadIds& ids = *context.ids;
  SampledWait wait{.type = WaitType::kPark,
                   .flags = static_cast<uint8_t>(flags),
                   .start_ns = start_ns,
                   .waited_ns = waited_ns,
                   .timeout = timeout,
                   .weight = static_cast<uint64_t>(weight),
                   .object = blocker,
                   .thread = thread};
  wait.owner = ThreadIds::Signed(owner);
  if (holder_stack != 0) {
    wait.held = {ThreadIds::Signed(holder), CallTraceId{static_cast<uint64_t>(holder_stack)}};
  }
  wait.waker_stack = CallTraceId{static_cast<uint64_t>(waker_stack)};
  if (waker != nullptr) wait.waker = ThreadIds::Signed(ids.SignedOf(jni, waker));
  // If no thread owned this lock when the wait began, the lock was being handed from one owner to
  // the next. The next owner is the waker: it later released the lock, and so woke this thread.
  if (owner == 0 && blocker != nullptr && jni->IsInstanceOf(blocker, context.exclusive) != 0) {
    wait.owner = wait.waker;
  }
  const bool is_unfinished = (flags & LockPayload::kUnfinished) != 0;
  // The lock might have got another owner since the wait began.
  if (is_unfinished) {
    const SampledThread now = OwnerNow(jni, context, blocker);
    if (now != SampledThread()) wait.owner = now;
  }
  const int64_t id = ids.SignedOf(jni, thread);
  const bool is_virtual = id < 0;
  if (is_virtual || is_unfinished) wait.waiting = ThreadIds::Signed(id);
  if (is_unfinished) {
    wait.taker = g_taker;
  } else {
    wait.probe_frames = ParkProbes::kFrames;
  }
  constexpr jint kDepth = ParkProbes::kFrames + 4;
  if (is_virtual && blocker == nullptr &&
      HasFrameOf(context.jvmti, jni, is_unfinished ? thread : nullptr, kDepth, kPollerOfSockets)) {
    wait.flags |= LockPayload::kIsIo;
  }
  SampleWait(context.jvmti, jni, *context.classes, wait);
}

// Counts a wait and returns the weight of its sample. Runs in a probe on the thread that was
// parked. For a wait that goes on at the stop, runs on the stopping thread in ParkProbes::Close.
jlong ParkWaits::OnCounted(JNIEnv*, jclass, jlong thread, jlong waited_ns, jdouble draw,
                           jboolean is_unfinished) {
  const ErrnoSaver saver;
  ThreadWaits& waits = ThreadWaits::OfProcess();
  const Nanos at_least_ns = std::max<Nanos>(waited_ns, 0);
  if (thread < 0) {
    waits.AddVirtual(-thread, WaitType::kPark, at_least_ns);
  } else {
    const ThreadSlot* const slot =
        is_unfinished != JNI_FALSE ? ThreadIds::SlotOf(thread) : CurrentThread();
    waits.Add(slot, WaitType::kPark, at_least_ns);
  }
  return static_cast<jlong>(LockSampling::WeightAt(at_least_ns, waits.interval_ns(), draw));
}

}  // namespace jprof
