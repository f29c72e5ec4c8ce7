#include "engines/lock/monitor_waits.h"

#include <algorithm>
#include <tuple>

#include "base/scaled_text.h"
#include "engines/lock/lock_stacks.h"
#include "engines/lock/thread_waits.h"
#include "jvm/jvm_errors.h"
#include "jvm/jvmti_ptr.h"
#include "sigsafe/base/errno_saver.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/threads/current_thread.h"

namespace jprof {

// First turns the events on, and then lists the waiting threads. So if a listed thread ends a wait
// whose start was not recorded, that wait began before the events were on.
Status MonitorWaits::Start(JNIEnv* jni, const ThreadIds& ids) {
  ids_ = &ids;
  if (ids.has_virtual()) first_new_id_ = ids.Next(jni);
  if (ids.has_virtual() && first_new_id_ == 0) return NoMemoryInJvm("for a thread");
  start_ns_ = MonotonicNanos();
  is_on_.store(true, std::memory_order_release);
  Result<JvmEvents::Subscription> subscription = events_.Subscribe(
      *this, {JVMTI_EVENT_MONITOR_CONTENDED_ENTER, JVMTI_EVENT_MONITOR_CONTENDED_ENTERED,
              JVMTI_EVENT_MONITOR_WAIT, JVMTI_EVENT_MONITOR_WAITED});
  if (!subscription) return subscription.error();
  subscription_ = std::move(subscription).value();
  const LocalFrame frame(jni, 16);
  const Result<std::vector<WaitingThread>> waiting = WaitingThreads(events_.jvmti(), jni, ids);
  if (!waiting) return waiting.error();
  for (const WaitingThread& each : waiting.value()) {
    at_start_.emplace_back(each.id, each.type);
  }
  locks_at_start_.Find(events_.jvmti(), jni, waiting.value());
  has_looked_.store(true, std::memory_order_release);
  return {};
}

bool MonitorWaits::WaitedAtStart(int64_t thread, WaitType type) const {
  return has_looked_.load(std::memory_order_acquire) &&
         std::ranges::find(at_start_, std::pair(thread, type)) != at_start_.end();
}

bool MonitorWaits::Stop() {
  is_on_.store(false, std::memory_order_relaxed);
  return subscription_.CancelAndWait();
}

// Platform threads that waited at Start are in at_start_, but virtual threads are not. The wait of
// a virtual thread began before Start if two conditions hold: the thread is older than Start, and
// every wait since Start got a place in open_.
std::optional<OpenWait> MonitorWaits::WaitBegunBeforeStart(int64_t thread, bool is_virtual,
                                                           WaitType type) const {
  const bool has_waited = is_virtual ? thread < first_new_id_ && open_.without_place() == 0
                                     : WaitedAtStart(thread, type);
  if (!has_waited) return std::nullopt;
  return is_virtual ? OpenWait{thread, type, start_ns_, kNoTimeout} : WaitSinceStart(thread, type);
}

OpenWait MonitorWaits::WaitSinceStart(int64_t thread, WaitType type) const {
  OpenWait wait{thread, type, start_ns_, kNoTimeout};
  const LocksAtStart::Lock* const lock = locks_at_start_.Of(thread);
  if (lock != nullptr && type == WaitType::kMonitorEnter) {
    wait.owner = ThreadIds::Sampled(lock->owner, false);
  }
  return wait;
}

void MonitorWaits::OnMonitorContendedEnter(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject object) {
  if (!is_on_.load(std::memory_order_acquire)) return;
  const ErrnoSaver saver;
  const Nanos now_ns = MonotonicNanos();
  // now_ns is read before OwnerOfPendingMonitor is called, because that call can wait for the end
  // of a pause of the JVM.
  const OwnedMonitor awaited = OwnerOfPendingMonitor(jni, object, *ids_);
  Begin(jni, object,
        {.thread = ids_->Of(jni, thread),
         .type = WaitType::kMonitorEnter,
         .start_ns = now_ns,
         .timeout = kNoTimeout,
         .owner = awaited.owner,
         .monitor = awaited.monitor});
}

void MonitorWaits::OnMonitorContendedEntered(jvmtiEnv*, JNIEnv* jni, jthread thread,
                                             jobject object) {
  End(jni, thread, object, WaitType::kMonitorEnter, 0);
}

void MonitorWaits::OnMonitorWait(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject object,
                                 jlong timeout) {
  if (!is_on_.load(std::memory_order_acquire)) return;
  const ErrnoSaver saver;
  Begin(jni, object, {ids_->Of(jni, thread), WaitType::kMonitorWait, MonotonicNanos(), timeout});
}

// Keeps a weak reference to the object, because no event names the object of a wait that goes on
// when the recording stops. A reference costs less than the hash and the class of the object, which
// are needed for few waits.
void MonitorWaits::Begin(JNIEnv* jni, jobject object, OpenWait wait) {
  wait.object = jni->NewWeakGlobalRef(object);
  if (wait.object == nullptr) jni->ExceptionClear();  // the JVM is out of memory
  if (const jweak left = open_.Begin(wait)) jni->DeleteWeakGlobalRef(left);
}

void MonitorWaits::OnMonitorWaited(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject object,
                                   jboolean timed_out) {
  End(jni, thread, object, WaitType::kMonitorWait,
      timed_out != JNI_FALSE ? LockPayload::kTimedOut : 0);
}

void MonitorWaits::End(JNIEnv* jni, jthread thread, jobject object, WaitType type, uint8_t flags) {
  if (!is_on_.load(std::memory_order_acquire)) return;
  const ErrnoSaver saver;
  const Nanos now_ns = MonotonicNanos();
  const int64_t id = ids_->Of(jni, thread);
  const bool is_virtual = ids_->IsVirtual(jni, thread);
  const bool is_notified = type == WaitType::kMonitorWait;
  const ThreadSlot* const slot = CurrentThread();
  const std::optional<Nanos> begin_ns =
      is_notified && slot != nullptr ? MonitorWaitTimes::Take(*slot) : std::nullopt;
  std::optional<OpenWait> begun =
      is_virtual && is_notified ? open_.EndAndRemember(id, type, now_ns) : open_.End(id, type);
  if (begun && begun->object != nullptr) jni->DeleteWeakGlobalRef(begun->object);
  const bool is_of_class = !begun && is_notified && IsLockOfClass(jni, object);
  if (is_of_class && begin_ns) begun = OpenWait{id, type, *begin_ns, kNoTimeout};
  if (!begun && !(is_of_class && is_virtual)) begun = WaitBegunBeforeStart(id, is_virtual, type);
  if (!begun) {
    if (is_of_class) without_begin_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  if (is_of_class) flags |= LockPayload::kIsClassInitialization;
  std::optional<SampledWait> wait = CountWait(*begun, is_virtual, slot, now_ns, flags);
  if (!wait) return;
  const LocalFrame frame(jni, 16);
  if (is_of_class) {
    jvmtiEnv* const jvmti = events_.jvmti();
    wait->lock_class = ClassAwaitedFor(jvmti, jni, ClassUsedBy(jvmti, jni, thread));
  } else {
    wait->object = object;
  }
  wait->thread = thread;
  if (is_virtual) wait->waiting = SampledThread::Virtual(id);
  // The JVM sends both events before the frames of a virtual thread are back on the stack of its
  // carrier (JEP 491).
  wait->is_off_stack = is_virtual;
  SampleWait(events_.jvmti(), jni, classes_, *wait);
}

std::optional<SampledWait> MonitorWaits::CountWait(const OpenWait& wait, bool is_virtual,
                                                   const ThreadSlot* slot, Nanos now_ns,
                                                   uint8_t flags) const {
  const Nanos waited_ns = std::max<Nanos>(now_ns - wait.start_ns, 0);
  ThreadWaits& waits = ThreadWaits::OfProcess();
  if (is_virtual) {
    waits.AddVirtual(wait.thread, wait.type, waited_ns);
  } else {
    waits.Add(slot, wait.type, waited_ns);
  }
  const uint64_t weight = LockSampling::WeightOf(
      waited_ns, interval_ns_,
      static_cast<uint64_t>(now_ns) ^ static_cast<uint64_t>(wait.thread) << 32);
  if (weight == 0) return std::nullopt;
  return SampledWait{.type = wait.type,
                     .flags = flags,
                     .start_ns = wait.start_ns,
                     .waited_ns = waited_ns,
                     .timeout = wait.timeout,
                     .weight = weight,
                     .owner = wait.owner,
                     .held = wait.held};
}

// Returns the waits that go on. For platform threads, these are the waits that the JVM reports,
// even if they began before Start. For virtual threads, these are the waits in open_: no event has
// reported their end. The most important waits come first, because the time for questions to the
// JVM is limited: waits to enter a monitor before the others, because they can be deadlocks; within
// a type, waits without a known owner before those with one; then longer waits before shorter ones.
std::vector<MonitorWaits::Unfinished> MonitorWaits::FindUnfinished(
    const std::vector<WaitingThread>& waiting) const {
  std::vector<OpenWait> open;
  open_.ForEach([&open](const OpenWait& wait) { open.push_back(wait); });
  std::vector<Unfinished> unfinished;
  for (const WaitingThread& each : waiting) {
    if (each.type == WaitType::kPark) continue;
    if (each.is_class_initialization()) {
      unfinished.push_back(UnfinishedInitialization(each));
      continue;
    }
    const auto found = std::ranges::find_if(open, [&each](const OpenWait& wait) {
      return wait.thread == each.id && wait.type == each.type;
    });
    const SampledThread thread = ThreadIds::Sampled(each.id, false);
    if (found != open.end()) {
      unfinished.push_back({*found, thread, each.thread});
    } else {
      unfinished.push_back(
          {WaitSinceStart(each.id, each.type), thread, each.thread, locks_at_start_.Of(each.id)});
    }
  }
  for (const OpenWait& wait : open) {
    if (!ids_->has_virtual() || ThreadIds::SlotOf(wait.thread) != nullptr) continue;
    unfinished.push_back({wait, SampledThread::Virtual(wait.thread), nullptr});
  }
  const auto rank = [](const Unfinished& wait) {
    return std::tuple(wait.begun.type, wait.begun.owner != SampledThread(), wait.begun.start_ns);
  };
  std::ranges::stable_sort(unfinished, {}, rank);
  return unfinished;
}

MonitorWaits::Unfinished MonitorWaits::UnfinishedInitialization(
    const WaitingThread& waiting) const {
  OpenWait begun{waiting.id, waiting.type, start_ns_, kNoTimeout};
  const ThreadSlot* const slot = ThreadIds::SlotOf(waiting.id);
  if (slot != nullptr) {
    begun.start_ns = MonitorWaitTimes::BeginOf(*slot, waiting.monitor).value_or(start_ns_);
  }
  return {begun, ThreadIds::Sampled(waiting.id, false), waiting.thread, nullptr, true};
}

void MonitorWaits::FindClassAndInitializer(JNIEnv* jni, const Unfinished& wait,
                                           const ClassInitializers& initializers,
                                           SampledWait& sampled) const {
  const jclass used = ClassUsedBy(events_.jvmti(), jni, wait.thread);
  const ClassInitializers::Initializer* const awaited = initializers.AwaitedBy(wait.thread, used);
  sampled.lock_class = awaited == nullptr ? used : awaited->initialized;
  if (awaited == nullptr) return;
  sampled.owner = ThreadIds::Sampled(ids_->Of(jni, awaited->thread), false);
}

// Asks the JVM for the owner even if an owner is known, because the monitor might have got another
// owner since the wait began.
jobject MonitorWaits::FindObjectAndOwner(JNIEnv* jni, Unfinished& wait, AskedMonitors& asked) {
  jobject object = nullptr;
  if (wait.begun.object != nullptr) {
    object = jni->NewLocalRef(wait.begun.object);
  } else if (wait.thread != nullptr) {
    object = asked.AwaitedBy(wait.thread);
  }
  if (object == nullptr || wait.begun.type != WaitType::kMonitorEnter) return object;
  const SampledThread owner = asked.OwnerOf(object);
  if (owner != SampledThread() && owner != wait.waiting) wait.begun.owner = owner;
  return object;
}

void MonitorWaits::RecordUnfinished(JNIEnv* jni, const std::vector<WaitingThread>& waiting,
                                    ThreadSlot* taker) {
  const Nanos now_ns = MonotonicNanos();
  AskedMonitors asked(events_.jvmti(), jni, *ids_);
  ClassInitializers initializers(events_.jvmti(), jni);
  if (std::ranges::any_of(waiting, &WaitingThread::is_class_initialization)) {
    has_all_initializers_ = initializers.FindAll(waiting);
  }
  for (Unfinished& each : FindUnfinished(waiting)) {
    const bool is_of_class = each.is_class_initialization;
    const jobject object = is_of_class ? nullptr : FindObjectAndOwner(jni, each, asked);
    const bool is_virtual = each.waiting.is_virtual();
    // JDK 27 sends an event when a virtual thread starts to wait for the initialization of a class,
    // but none when that wait ends. So the wait might be over.
    if (is_virtual && object != nullptr && IsLockOfClass(jni, object)) continue;
    std::optional<SampledWait> wait = CountWait(
        each.begun, is_virtual, is_virtual ? nullptr : ThreadIds::SlotOf(each.begun.thread), now_ns,
        is_of_class ? LockPayload::kUnfinished | LockPayload::kIsClassInitialization
                    : LockPayload::kUnfinished);
    if (!wait) continue;
    wait->object = object;
    if (is_of_class) FindClassAndInitializer(jni, each, initializers, *wait);
    if (each.at_start != nullptr && each.at_start->lock_class != nullptr) {
      wait->lock_class = static_cast<jclass>(jni->NewLocalRef(each.at_start->lock_class));
      wait->hash = each.at_start->hash;
    }
    wait->waiting = each.waiting;
    wait->thread = each.thread;
    wait->taker = taker;
    SampleWait(events_.jvmti(), jni, classes_, *wait);
  }
  not_asked_ += asked.left_out();
}

void MonitorWaits::ForgetUnfinished(JNIEnv* jni) {
  open_.Clear([jni](jweak object) {
    if (object != nullptr) jni->DeleteWeakGlobalRef(object);
  });
  locks_at_start_.Forget(jni);
}

std::vector<std::string> MonitorWaits::TakeNotes() {
  std::vector<std::string> notes;
  if (!std::exchange(has_all_initializers_, true)) {
    notes.emplace_back(
        "warning: the threads that initialize classes for which others wait are perhaps not known: "
        "the stacks of all threads could not be read in 50 ms");
  }
  if (const uint64_t waits = without_begin_.exchange(0, std::memory_order_relaxed); waits != 0) {
    notes.push_back(
        "warning: " + std::to_string(waits) +
        " waits for the initialization of a class are not counted: their begin was not seen");
  }
  const uint64_t not_asked = std::exchange(not_asked_, 0);
  if (not_asked == 0) return notes;
  notes.push_back(
      "warning: of " + std::to_string(not_asked) +
      " waits that have not ended, owner or class of the lock may be missing or out of date: "
      "the JVM has been asked for " +
      DurationText(AskedMonitors::kMostAsking));
  return notes;
}

}  // namespace jprof
