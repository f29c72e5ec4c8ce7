#include "engines/lock/monitor_waits.h"

#include <algorithm>

#include "engines/lock/monitor_owner.h"
#include "engines/lock/thread_waits.h"
#include "jvm/jvmti_ptr.h"
#include "sigsafe/base/errno_saver.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/threads/current_thread.h"

namespace jprof {

// The events first: who waits now, and whose wait is not open at its end, began before they were
// on.
Status MonitorWaits::Start(JNIEnv* jni, const ThreadIds& ids) {
  ids_ = &ids;
  if (ids.has_virtual()) first_new_id_ = ids.Next(jni);
  if (ids.has_virtual() && first_new_id_ == 0) return Error("the JVM has no memory for a thread");
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

// An end without a begin. The VM waits as well, to initialize classes, and announces the end alone:
// that is no wait of the program.
std::optional<OpenWait> MonitorWaits::FromTheStart(int64_t thread, bool is_virtual,
                                                   WaitType type) const {
  const bool has_waited = is_virtual ? thread < first_new_id_ && open_.without_place() == 0
                                     : WaitedAtStart(thread, type);
  if (!has_waited) return std::nullopt;
  return OpenWait{thread, type, start_ns_, kNoTimeout};
}

void MonitorWaits::OnMonitorContendedEnter(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject object) {
  if (!is_on_.load(std::memory_order_acquire)) return;
  const ErrnoSaver saver;
  const Nanos now_ns = MonotonicNanos();
  const SampledThread owner = OwnerOfPendingMonitor(jni, object, *ids_);  // a call may take a pause
  open_.Begin({ids_->Of(jni, thread), WaitType::kMonitorEnter, now_ns, kNoTimeout, owner});
}

void MonitorWaits::OnMonitorContendedEntered(jvmtiEnv*, JNIEnv* jni, jthread thread,
                                             jobject object) {
  End(jni, thread, object, WaitType::kMonitorEnter, 0);
}

void MonitorWaits::OnMonitorWait(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject, jlong timeout) {
  if (!is_on_.load(std::memory_order_acquire)) return;
  open_.Begin({ids_->Of(jni, thread), WaitType::kMonitorWait, MonotonicNanos(), timeout});
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
  std::optional<OpenWait> begun = is_virtual && type == WaitType::kMonitorWait
                                      ? open_.EndAndRemember(id, type, now_ns)
                                      : open_.End(id, type);
  if (!begun) begun = FromTheStart(id, is_virtual, type);
  if (!begun) return;
  std::optional<EndedWait> wait = Counted(*begun, is_virtual, CurrentThread(), now_ns, flags);
  if (!wait) return;
  wait->object = object;
  wait->thread = thread;
  if (is_virtual) wait->waiting = SampledThread::Virtual(id);
  // The JVM announces the end before the frames are back on the carrier's stack (JEP 491).
  wait->is_elsewhere = is_virtual && type == WaitType::kMonitorWait;
  SampleWait(events_.jvmti(), jni, classes_, *wait);
}

std::optional<EndedWait> MonitorWaits::Counted(const OpenWait& wait, bool is_virtual,
                                               const ProfiledThread* record, Nanos now_ns,
                                               uint8_t flags) const {
  const Nanos waited_ns = std::max<Nanos>(now_ns - wait.start_ns, 0);
  ThreadWaits& waits = ThreadWaits::OfProcess();
  if (is_virtual) {
    waits.AddVirtual(wait.thread, wait.type, waited_ns);
  } else {
    waits.Add(record, wait.type, waited_ns);
  }
  const uint64_t weight = LockSampling::WeightOf(
      waited_ns, interval_ns_,
      static_cast<uint64_t>(now_ns) ^ static_cast<uint64_t>(wait.thread) << 32);
  if (weight == 0) return std::nullopt;
  return EndedWait{.type = wait.type,
                   .flags = flags,
                   .start_ns = wait.start_ns,
                   .waited_ns = waited_ns,
                   .timeout = wait.timeout,
                   .weight = weight,
                   .owner = wait.owner};
}

// Of platform threads the JVM says which wait, those since before the start too; of virtual threads
// those do whose end was not announced.
void MonitorWaits::RecordUnfinished(JNIEnv* jni, const std::vector<WaitingThread>& waiting) {
  const Nanos now_ns = MonotonicNanos();
  std::vector<OpenWait> open;
  open_.ForEach([&open](const OpenWait& wait) { open.push_back(wait); });
  const auto record = [&](const OpenWait& begun, const SampledThread& thread, jthread other) {
    const bool is_virtual = thread.is_virtual();
    std::optional<EndedWait> wait =
        Counted(begun, is_virtual, is_virtual ? nullptr : ThreadIds::RecordOf(begun.thread), now_ns,
                LockPayload::kUnfinished);
    if (!wait) return;
    wait->waiting = thread;
    wait->thread = other;
    wait->is_elsewhere = true;
    SampleWait(events_.jvmti(), jni, classes_, *wait);
  };
  for (const WaitingThread& each : waiting) {
    if (each.type == WaitType::kPark) continue;
    const auto found = std::ranges::find_if(open, [&each](const OpenWait& wait) {
      return wait.thread == each.id && wait.type == each.type;
    });
    const SampledThread thread = ThreadIds::Sampled(each.id, false);
    record(found != open.end() ? *found : OpenWait{each.id, each.type, start_ns_, kNoTimeout},
           thread, each.thread);
  }
  if (!ids_->has_virtual()) return;
  for (const OpenWait& wait : open) {
    if (ThreadIds::RecordOf(wait.thread) == nullptr) {
      record(wait, SampledThread::Virtual(wait.thread), nullptr);
    }
  }
}

}  // namespace jprof
