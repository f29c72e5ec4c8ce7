#include "threads/thread_registry.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "os/async_signals_blocked.h"
#include "os/task_list.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/thread_id.h"
#include "sigsafe/threads/current_thread.h"

namespace jprof {
namespace {

uint32_t SerialOf(const ProfiledThread& record) {
  return record.serial.load(std::memory_order_relaxed);
}

// The list of tasks may leave out a thread that lives: what it lacks is asked for by itself.
bool IsAlive(const std::unordered_set<int32_t>& tasks, int32_t tid) {
  return tasks.count(tid) != 0 || TaskExists(Tid{tid});
}

}  // namespace

void ThreadRegistry::SetFilter(ThreadFilter filter) {
  const std::lock_guard lock(mutex_);
  filter_ = std::move(filter);
  counts_ = {};
  for (auto& [tid, entry] : live_) SelectLocked(entry, Observed::kFromNow);
}

void ThreadRegistry::Ignore(Tid tid) {
  const std::lock_guard lock(mutex_);
  ignored_.insert(Value(tid));
  const auto entry = live_.find(Value(tid));
  if (entry != live_.end()) EndLocked(entry, EndedBy::kAbsence);
}

std::vector<Tid> ThreadRegistry::Ignored() {
  const std::lock_guard lock(mutex_);
  std::vector<Tid> tids;
  for (const int32_t tid : ignored_) tids.push_back(Tid{tid});
  return tids;
}

Status ThreadRegistry::Rescan(PrimingPath path) {
  const std::lock_guard lock(mutex_);
  Result<std::vector<Tid>> listed = ListTasks();
  if (!listed) return listed.error();
  std::unordered_set<int32_t> tasks;
  for (const Tid tid : listed.value()) tasks.insert(Value(tid));
  // A tid that is free may come back as a thread of ours: forget those that ended.
  for (auto* tids : {&ignored_, &left_}) {
    std::erase_if(*tids, [&](int32_t tid) { return !IsAlive(tasks, tid); });
  }
  EndMissingLocked(tasks);
  AdoptClaimedLocked(tasks);
  for (const Tid tid : listed.value()) {
    if (ignored_.count(Value(tid)) != 0) continue;
    auto entry = live_.find(Value(tid));
    if (entry == live_.end()) {
      const bool left = left_.count(Value(tid)) != 0;
      RegisterLocked(tid, records_.Claim(tid, path),
                     left ? Observed::kFromNow : Observed::kFromBirth);
      entry = live_.find(Value(tid));
    }
    if (entry != live_.end()) RefreshLocked(tid, entry->second);
  }
  return {};
}

void ThreadRegistry::EndMissingLocked(const std::unordered_set<int32_t>& tasks) {
  for (auto entry = live_.begin(); entry != live_.end();) {
    const bool ended = !IsAlive(tasks, entry->first) || IsAnotherThread(entry);
    entry = ended ? EndLocked(entry, EndedBy::kAbsence) : std::next(entry);
  }
}

// The tid is there, but is it the same thread? Only asked where it is known when it started; 0 is
// no answer.
bool ThreadRegistry::IsAnotherThread(Live::const_iterator entry) {
  const uint64_t known_ticks = entry->second.start_ticks;
  if (known_ticks == 0) return false;
  const uint64_t ticks = TaskStartTicks(Tid{entry->first});
  return ticks != 0 && ticks != known_ticks;
}

// Records that handlers claimed by themselves become registered ones, or are released if their
// thread is gone.
void ThreadRegistry::AdoptClaimedLocked(const std::unordered_set<int32_t>& tasks) {
  for (uint32_t index = 0; index < records_.HighWater(); ++index) {
    ProfiledThread* record = records_.At(index);
    const Tid tid = record->tid.load(std::memory_order_acquire);
    if (tid == Tid{0} || !records_.IsTaken(index) || info_.count(SerialOf(*record)) != 0) continue;
    if (IsAlive(tasks, Value(tid))) {
      AdoptLocked(tid, record, Observed::kFromNow);
    } else {
      records_.Release(record);
    }
  }
}

// The thread already uses `record`, so it wins over one that a scan gave the thread.
void ThreadRegistry::AdoptLocked(Tid tid, ProfiledThread* record, Observed observed) {
  JavaThreadInfo java;
  const auto present = live_.find(Value(tid));
  if (present != live_.end()) {
    // JNIEnv, name and clock belong to the thread, not to the record.
    const ProfiledThread& unused = *present->second.record;
    observed = Observed::kAsItWas;
    record->cpu_due_ns.store(unused.cpu_due_ns.load(std::memory_order_relaxed),
                             std::memory_order_relaxed);
    java = info_[SerialOf(unused)]->java;
    record->jni_env.store(unused.jni_env.load(std::memory_order_acquire),
                          std::memory_order_release);
    EndLocked(present, EndedBy::kAbsence);
  }
  RegisterLocked(tid, record, observed);
  SetJavaInfoLocked(live_[Value(tid)], std::move(java), observed);
}

void ThreadRegistry::RegisterLocked(Tid tid, ProfiledThread* record, Observed observed) {
  if (record == nullptr) return;  // every record is taken: handlers count what they cannot charge
  Entry& entry = live_[Value(tid)];
  entry = {record, 0, false, false, false, kNotSeen};
  ++counts_.threads[static_cast<size_t>(record->path.load(std::memory_order_relaxed))];
  const uint32_t serial = SerialOf(*record);
  auto info = std::make_shared<ThreadInfo>();
  info->serial = serial;
  info->tid = tid;
  info_[serial] = std::move(info);
  SelectLocked(entry, observed);
}

// A name that comes or changes may select a thread, or select it no longer.
void ThreadRegistry::SelectLocked(Entry& entry, Observed observed) {
  const ThreadInfo& info = *info_[SerialOf(*entry.record)];
  const bool selected = filter_.Matches(Value(info.tid), info.os_name, info.java.name);
  if (selected == entry.selected) return;
  entry.selected = selected;
  for (ThreadListener* listener : listeners_) {
    if (selected) {
      listener->OnThreadStart(*entry.record, observed);
    } else {
      listener->OnThreadEnd(*entry.record, EndedBy::kAbsence);
    }
  }
}

ThreadRegistry::Live::iterator ThreadRegistry::EndLocked(Live::iterator entry, EndedBy ended_by) {
  ProfiledThread* record = entry->second.record;
  if (entry->second.selected) {
    for (ThreadListener* listener : listeners_) listener->OnThreadEnd(*record, ended_by);
  }
  ended_.push_back(SerialOf(*record));
  if (ended_by == EndedBy::kItself) EndCurrentThread();
  records_.Release(record);
  return live_.erase(entry);
}

void ThreadRegistry::RefreshLocked(Tid tid, Entry& entry) {
  if (entry.settled) return;
  entry.settled = entry.start_ticks != 0;
  if (entry.start_ticks == 0) {
    entry.start_ticks = TaskStartTicks(tid);
    CountLatencyLocked(entry);
  }
  const auto known = info_.find(SerialOf(*entry.record));
  auto info = std::make_shared<ThreadInfo>(*known->second);
  info->os_name = TaskName(tid);
  known->second = std::move(info);
  SelectLocked(entry, Observed::kFromNow);
}

// How late the watcher was; to a clock tick, in which the kernel tells when a thread started.
void ThreadRegistry::CountLatencyLocked(const Entry& entry) {
  const bool by_watcher =
      entry.record->path.load(std::memory_order_relaxed) == PrimingPath::kWatcher;
  if (!by_watcher || entry.start_ticks == 0) return;
  static const Nanos tick_ns = kNanosPerSecond / sysconf(_SC_CLK_TCK);
  const Nanos started_ns = static_cast<Nanos>(entry.start_ticks) * tick_ns;
  counts_.watcher_latency_ns += std::max<Nanos>(ReadClock(CLOCK_BOOTTIME) - started_ns, 0);
}

void ThreadRegistry::SetJavaInfoLocked(Entry& entry, JavaThreadInfo java, Observed observed) {
  const auto known = info_.find(SerialOf(*entry.record));
  auto info = std::make_shared<ThreadInfo>(*known->second);
  info->java = std::move(java);
  known->second = std::move(info);
  SelectLocked(entry, observed);
}

// The entry of the calling thread, made if need be. nullptr: it is ignored, or every record is
// taken. REQUIRES: asynchronous signals are blocked.
ThreadRegistry::Entry* ThreadRegistry::EnterCurrentLocked(PrimingPath path, Observed* observed) {
  const Tid tid = CurrentTid();
  *observed = left_.erase(Value(tid)) != 0 ? Observed::kFromNow : Observed::kFromBirth;
  if (ignored_.count(Value(tid)) != 0) return nullptr;
  const auto entry = live_.find(Value(tid));
  const bool registered = entry != live_.end();
  ProfiledThread* offered = registered ? entry->second.record : records_.Claim(tid, path);
  if (offered == nullptr) return nullptr;
  // A handler on this thread may have claimed a record already: that one counts.
  ProfiledThread* record = SetCurrentThreadIfNone(offered);
  record->adopted.store(true, std::memory_order_relaxed);
  if (record != offered && !registered) records_.Release(offered);
  if (record != offered || !registered) AdoptLocked(tid, record, *observed);
  return &live_[Value(tid)];
}

void ThreadRegistry::OnJavaThreadStart(void* jni_env, JavaThreadInfo info) {
  const AsyncSignalsBlocked blocked;
  const std::lock_guard lock(mutex_);
  Observed observed;
  Entry* entry = EnterCurrentLocked(PrimingPath::kJvmti, &observed);
  if (entry == nullptr) return;
  SetJavaInfoLocked(*entry, std::move(info), observed);
  entry->record->jni_env.store(jni_env, std::memory_order_release);
}

void ThreadRegistry::OnJavaThreadEnd() {
  const Tid tid = CurrentTid();
  const AsyncSignalsBlocked blocked;
  const std::lock_guard lock(mutex_);
  const auto entry = live_.find(Value(tid));
  if (entry == live_.end()) return;
  entry->second.record->jni_env.store(nullptr, std::memory_order_release);
  if (entry->second.hooked && native_ends_ == NativeEnds::kAnnounced) return;
  EndLocked(entry, EndedBy::kItself);
  left_.insert(Value(tid));  // it may live on without the JVM
}

void ThreadRegistry::OnNativeThreadStart() {
  const AsyncSignalsBlocked blocked;
  const std::lock_guard lock(mutex_);
  Observed observed;
  Entry* entry = EnterCurrentLocked(PrimingPath::kHook, &observed);
  if (entry != nullptr) entry->hooked = true;
}

void ThreadRegistry::OnNativeThreadEnd() {
  const AsyncSignalsBlocked blocked;
  const std::lock_guard lock(mutex_);
  const auto entry = live_.find(Value(CurrentTid()));
  if (entry != live_.end()) EndLocked(entry, EndedBy::kItself);
}

void ThreadRegistry::ExpectNativeEnds(NativeEnds ends) {
  const std::lock_guard lock(mutex_);
  native_ends_ = ends;
}

void ThreadRegistry::SetJavaThread(Tid tid, void* jni_env, JavaThreadInfo info) {
  const std::lock_guard lock(mutex_);
  const auto entry = live_.find(Value(tid));
  if (entry == live_.end()) return;
  SetJavaInfoLocked(entry->second, std::move(info), Observed::kFromNow);
  entry->second.record->jni_env.store(jni_env, std::memory_order_release);
}

void ThreadRegistry::AddListener(ThreadListener* listener) {
  const std::lock_guard lock(mutex_);
  listeners_.push_back(listener);
  for (const auto& [tid, entry] : live_) {
    if (entry.selected) listener->OnThreadStart(*entry.record, Observed::kFromNow);
  }
}

void ThreadRegistry::RemoveListener(ThreadListener* listener) {
  const std::lock_guard lock(mutex_);
  std::erase(listeners_, listener);
}

std::shared_ptr<const ThreadInfo> ThreadRegistry::Find(uint32_t serial, Tid tid) {
  const std::lock_guard lock(mutex_);
  const auto known = info_.find(serial);
  if (known == info_.end()) {
    auto info = std::make_shared<ThreadInfo>();
    info->serial = serial;
    info->tid = tid;
    return info;
  }
  const auto entry = live_.find(Value(known->second->tid));
  const bool alive = entry != live_.end() && SerialOf(*entry->second.record) == serial;
  if (alive) RefreshLocked(known->second->tid, entry->second);
  return info_[serial];
}

std::vector<uint32_t> ThreadRegistry::Ended() {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void ThreadRegistry::ForgetEnded(const std::vector<uint32_t>& serials) {
  const std::lock_guard lock(mutex_);
  for (const uint32_t serial : serials) info_.erase(serial);
  // `serials` is what Ended() returned: the front of the list.
  ended_.erase(ended_.begin(), ended_.begin() + static_cast<std::ptrdiff_t>(serials.size()));
}

PrimingCounts ThreadRegistry::Counts() {
  const std::lock_guard lock(mutex_);
  PrimingCounts counts = counts_;
  counts.records_in_use = live_.size();
  counts.records_recycled = records_.claims() - records_.HighWater();
  return counts;
}

size_t ThreadRegistry::live_threads() {
  const std::lock_guard lock(mutex_);
  return live_.size();
}

}  // namespace jprof
