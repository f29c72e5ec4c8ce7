#include "engines/lock/waiting_virtual_threads.h"

#include <utility>

#include "engines/lock/class_initialization.h"
#include "engines/lock/wait_totals.h"
#include "jvm/jvm_errors.h"
#include "jvm/jvmti_ptr.h"
#include "sigsafe/base/errno_saver.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/sampling_state.h"

namespace jprof {
namespace {

// Returns how long windows have been open; 0 if the recording is not limited to windows.
Nanos WindowsNow() {
  const SampleWindow& window = Sampling().window;
  return window.IsLimited() ? window.CountsNow().open_ns : 0;
}

}  // namespace

void WaitingVirtualThreads::Begin(JNIEnv* jni, jthread thread, int64_t id, ThreadActivity activity,
                                  Nanos now_ns, Nanos windows_ns) {
  Part& part = PartOf(id);
  const std::lock_guard lock(part.mutex);
  const bool has_room = part.entries.size() < kMost / parts_.size();
  const jweak kept = has_room ? jni->NewWeakGlobalRef(thread) : nullptr;
  if (kept == nullptr) {
    jni->ExceptionClear();  // the JVM is out of memory
    without_place_.fetch_add(1, kRelaxed);
    return;
  }
  Entry& entry = part.entries[id];
  if (entry.thread != nullptr) jni->DeleteWeakGlobalRef(entry.thread);
  entry.waiting = {{id, activity, now_ns, 0, windows_ns}, next_number_.fetch_add(1, kRelaxed)};
  entry.thread = kept;
}

std::optional<WaitedTime> WaitingVirtualThreads::End(JNIEnv* jni, int64_t id,
                                                     ThreadActivity activity, Nanos now_ns,
                                                     Nanos windows_ns) {
  Part& part = PartOf(id);
  const std::lock_guard lock(part.mutex);
  const auto found = part.entries.find(id);
  std::optional<WaitedTime> ended;
  if (found != part.entries.end()) {
    Entry& entry = found->second;
    if (entry.thread != nullptr) jni->DeleteWeakGlobalRef(std::exchange(entry.thread, nullptr));
    if (entry.waiting.time.activity == activity) ended = entry.waiting.time;
  }
  if (activity == ThreadActivity::kInObjectWait && part.entries.size() < kMost / parts_.size()) {
    part.entries[id].waiting = {{id, ThreadActivity::kBlockedOnMonitor, now_ns, 0, windows_ns}, 0};
  } else if (found != part.entries.end()) {
    part.entries.erase(found);
  }
  return ended;
}

std::vector<WaitingVirtualThreads::Waiting> WaitingVirtualThreads::All(Nanos forget_before_ns) {
  std::vector<Waiting> all;
  for (Part& part : parts_) {
    const std::lock_guard lock(part.mutex);
    for (const auto& [id, entry] : part.entries) {
      if (entry.thread != nullptr) all.push_back(entry.waiting);
    }
    const size_t forgotten = std::erase_if(part.entries, [&](const auto& each) {
      return each.second.thread == nullptr && each.second.waiting.time.from_ns < forget_before_ns;
    });
    if (forgotten != 0) has_forgotten_.store(true, kRelaxed);
  }
  return all;
}

bool WaitingVirtualThreads::Has(int64_t id) {
  Part& part = PartOf(id);
  const std::lock_guard lock(part.mutex);
  const auto found = part.entries.find(id);
  return found != part.entries.end() && found->second.thread != nullptr;
}

jthread WaitingVirtualThreads::ThreadOf(JNIEnv* jni, const Waiting& waiting) {
  Part& part = PartOf(waiting.time.thread);
  const std::lock_guard lock(part.mutex);
  const auto found = part.entries.find(waiting.time.thread);
  if (found == part.entries.end() || found->second.waiting.number != waiting.number) return nullptr;
  return jni->NewLocalRef(found->second.thread);
}

bool WaitingVirtualThreads::Advance(const Waiting& waiting, Nanos now_ns) {
  Part& part = PartOf(waiting.time.thread);
  const std::lock_guard lock(part.mutex);
  const auto found = part.entries.find(waiting.time.thread);
  if (found == part.entries.end() || found->second.waiting.number != waiting.number) return false;
  found->second.waiting.time.from_ns = now_ns;
  return true;
}

void WaitingVirtualThreads::Clear(JNIEnv* jni) {
  for (Part& part : parts_) {
    const std::lock_guard lock(part.mutex);
    for (const auto& [id, entry] : part.entries) {
      if (entry.thread != nullptr) jni->DeleteWeakGlobalRef(entry.thread);
    }
    part.entries.clear();
  }
}

Status VirtualMonitorWaits::Start(JNIEnv* jni, const ThreadIds& ids, const WaitSampler& sampler) {
  ids_ = &ids;
  sampler_ = sampler;
  first_new_id_ = ids.Next(jni);
  if (first_new_id_ == 0) return NoMemoryInJvm("for a thread");
  start_ns_ = MonotonicNanos();
  last_sampled_ns_ = start_ns_;
  is_on_.store(true, std::memory_order_release);
  Result<JvmEvents::Subscription> subscription = events_.Subscribe(
      *this, {JVMTI_EVENT_MONITOR_CONTENDED_ENTER, JVMTI_EVENT_MONITOR_CONTENDED_ENTERED,
              JVMTI_EVENT_MONITOR_WAIT, JVMTI_EVENT_MONITOR_WAITED});
  if (!subscription) return subscription.error();
  subscription_ = std::move(subscription).value();
  return {};
}

bool VirtualMonitorWaits::Stop(JNIEnv* jni) {
  is_on_.store(false, kRelaxed);
  const bool may_go = subscription_.CancelAndWait();
  if (may_go && jni != nullptr) waiting_.Clear(jni);
  return may_go;
}

// A stack is that of a wait only if the wait has not ended when the JVM has returned the stack.
void VirtualMonitorWaits::SampleWaiting(JNIEnv* jni, ThreadSlot* taker) {
  if (!is_on_.load(std::memory_order_acquire) || Sampling().window.IsLimited()) return;
  const Nanos now_ns = MonotonicNanos();
  StackAtJvm stack;
  for (const WaitingVirtualThreads::Waiting& each :
       waiting_.All(std::exchange(last_sampled_ns_, now_ns))) {
    WaitedTime time = each.time;
    time.to_ns = now_ns;
    if (!time.HasTick()) continue;
    const LocalFrame frame(jni, 8);
    const jthread thread = waiting_.ThreadOf(jni, each);
    if (thread == nullptr) continue;
    stack.Fetch(sampler_.jvmti, thread);
    if (waiting_.Advance(each, now_ns)) SampleWaitOf(sampler_, jni, thread, time, stack, taker);
  }
}

void VirtualMonitorWaits::OnMonitorContendedEnter(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject) {
  Begin(jni, thread, ThreadActivity::kBlockedOnMonitor);
}

void VirtualMonitorWaits::OnMonitorContendedEntered(jvmtiEnv*, JNIEnv* jni, jthread thread,
                                                    jobject object) {
  End(jni, thread, object, ThreadActivity::kBlockedOnMonitor);
}

void VirtualMonitorWaits::OnMonitorWait(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject, jlong) {
  Begin(jni, thread, ThreadActivity::kInObjectWait);
}

void VirtualMonitorWaits::OnMonitorWaited(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject object,
                                          jboolean) {
  End(jni, thread, object, ThreadActivity::kInObjectWait);
}

void VirtualMonitorWaits::Begin(JNIEnv* jni, jthread thread, ThreadActivity activity) {
  if (!is_on_.load(std::memory_order_acquire) || !ids_->IsVirtual(jni, thread)) return;
  const ErrnoSaver saver;
  const int64_t id = ids_->Of(jni, thread);
  if (id < first_new_id_) earlier_.EndUnseen(id);
  waiting_.Begin(jni, thread, id, activity, MonotonicNanos(), WindowsNow());
}

void VirtualMonitorWaits::End(JNIEnv* jni, jthread thread, jobject object,
                              ThreadActivity activity) {
  if (!is_on_.load(std::memory_order_acquire) || !ids_->IsVirtual(jni, thread)) return;
  const ErrnoSaver saver;
  const Nanos now_ns = MonotonicNanos();
  const int64_t id = ids_->Of(jni, thread);
  std::optional<WaitedTime> ended = waiting_.End(jni, id, activity, now_ns, WindowsNow());
  const std::optional<Nanos> earlier_ns =
      id < first_new_id_ ? earlier_.TakeStart(id) : std::nullopt;
  // A wait that is not in the table began before Start, if the thread is older than Start and all
  // waits since Start are in the table. For a wait for the initialization of a class, the JVM sends
  // only MonitorWaited.
  if (!ended && id < first_new_id_ && waiting_.without_place() == 0 && !waiting_.has_forgotten() &&
      !(activity == ThreadActivity::kInObjectWait && IsLockOfClass(jni, object))) {
    ended = WaitedTime{id, activity, earlier_ns.value_or(start_ns_), 0, WaitedTime::kOutside};
  }
  if (!ended) return;
  ended->to_ns = now_ns;
  if (!ended->HasTick()) return;
  // The JVM sends these events before the frames of a virtual thread are back on the stack of its
  // carrier (JEP 491), so there is nothing to walk.
  StackAtJvm stack;
  stack.Fetch(sampler_.jvmti, thread);
  SampleWaitOf(sampler_, jni, thread, *ended, stack, nullptr);
}

}  // namespace jprof
