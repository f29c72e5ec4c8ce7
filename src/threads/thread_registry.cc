#include "threads/thread_registry.h"

#include <algorithm>
#include <utility>

#include "os/async_signals_blocked.h"
#include "os/own_stack.h"
#include "os/task_list.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/thread_id.h"
#include "sigsafe/threads/current_thread.h"

namespace jprof {
namespace {

uint32_t SerialOf(const ProfiledThread& record) {
  return record.serial.load(std::memory_order_relaxed);
}

void SetStack(ProfiledThread& record, StackBounds stack) {
  record.stack_low.store(stack.low, std::memory_order_relaxed);
  record.stack_high.store(stack.high, std::memory_order_relaxed);
}

// The hook has mostly been there when the JVM announces a thread.
StackBounds OwnStackUnlessKnown() {
  const ProfiledThread* record = CurrentThread();
  if (record == nullptr || record->tid.load(std::memory_order_acquire) != CurrentTid()) {
    return OwnStackBounds();
  }
  const StackBounds known{record->stack_low.load(std::memory_order_relaxed),
                          record->stack_high.load(std::memory_order_relaxed)};
  return known.low != 0 && known.high != 0 ? known : OwnStackBounds();
}

}  // namespace

ThreadRegistry::ThreadRegistry(ThreadRecords& records, JavaThreadFilter& java_threads,
                               TaskFiles& files)
    : records_(records),
      files_(files),
      java_threads_(java_threads),
      begun_ns_(ReadClock(CLOCK_BOOTTIME)) {}

void ThreadRegistry::Begin(ThreadFilter filter) {
  const std::lock_guard lock(mutex_);
  filter_ = std::move(filter);
  counts_ = {};
  primed_.clear();  // what was outstanding went with the handler
  detached_.clear();
  is_listing_ = true;
  begun_ns_ = ReadClock(CLOCK_BOOTTIME);
  java_threads_.ClearAll();
  for (auto& [tid, entry] : live_) {
    entry.record->jni_env.store(nullptr, std::memory_order_release);
    entry.record->java_id.store(0, std::memory_order_relaxed);
    infos_.SetJava(SerialOf(*entry.record), {});
    SelectLocked(entry, Observed::kFromNow);
  }
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
    java = infos_.At(SerialOf(unused)).java;
    for (const auto member : {&ProfiledThread::stack_low, &ProfiledThread::stack_high}) {
      (record->*member)
          .store((unused.*member).load(std::memory_order_relaxed), std::memory_order_relaxed);
    }
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
  entry = {record, 0, false, false, false, false, kNotSeen};
  ++counts_.threads[static_cast<size_t>(record->path.load(std::memory_order_relaxed))];
  infos_.Add(SerialOf(*record), tid);
  SelectLocked(entry, observed);
}

// A name that comes or changes may select a thread, or select it no longer.
void ThreadRegistry::SelectLocked(Entry& entry, Observed observed) {
  const ThreadInfo& info = infos_.At(SerialOf(*entry.record));
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
  CloseLocked(entry, ended_by);
  ReleaseLocked(entry->second.record);
  return live_.erase(entry);
}

// The thread may have found the record by its tid, and its handlers may be at work on it.
void ThreadRegistry::SucceedLocked(Live::iterator entry, PrimingPath path, uint64_t start_ticks) {
  const Tid tid{entry->first};
  ProfiledThread* record = entry->second.record;
  CloseLocked(entry, EndedBy::kAbsence);
  TakeLossesLocked(*record);
  records_.Renew(record, path);
  RegisterLocked(tid, record, ObservedFound(start_ticks));
}

// All that an end is for others; the record and the entry stay.
void ThreadRegistry::CloseLocked(Live::iterator entry, EndedBy ended_by) {
  ProfiledThread* record = entry->second.record;
  if (entry->second.selected) {
    for (ThreadListener* listener : listeners_) listener->OnThreadEnd(*record, ended_by);
  }
  java_threads_.Clear(Tid{entry->first});
  if (ended_by == EndedBy::kItself) {
    if (!entry->second.named && infos_.At(SerialOf(*record)).java.name.empty()) {
      infos_.SetOsName(SerialOf(*record), CurrentTaskName());
    }
    EndCurrentThread();
  }
  infos_.End(SerialOf(*record));
}

// The record's next thread starts without losses.
void ThreadRegistry::ReleaseLocked(ProfiledThread* record) {
  TakeLossesLocked(*record);
  records_.Release(record);
}

void ThreadRegistry::TakeLossesLocked(ProfiledThread& record) {
  for (const SampleKindRow& row : kSampleKinds) {
    for (size_t reason = 0; reason < kLostReasonCount; ++reason) {
      std::atomic<uint64_t>& lost = record.lost[static_cast<size_t>(row.kind)][reason];
      if (lost.load(std::memory_order_relaxed) == 0) continue;
      // acquire: pairs with AddLost; the record's serial and tid were written before.
      const uint64_t weight = lost.exchange(0, std::memory_order_acquire);
      losses_.push_back({SerialOf(record), record.tid.load(std::memory_order_relaxed), row.kind,
                         static_cast<LostReason>(reason), weight});
    }
  }
}

void ThreadRegistry::SetJavaInfoLocked(Entry& entry, JavaThreadInfo java, Observed observed) {
  entry.record->java_id.store(java.id, std::memory_order_relaxed);
  infos_.SetJava(SerialOf(*entry.record), std::move(java));
  SelectLocked(entry, observed);
}

// The entry of the calling thread, made if need be. nullptr: it is ignored, or every record is
// taken. REQUIRES: asynchronous signals are blocked.
ThreadRegistry::Entry* ThreadRegistry::EnterCurrentLocked(PrimingPath path, uint64_t start_ticks,
                                                          Observed* observed) {
  const Tid tid = CurrentTid();
  if (ignored_.count(Value(tid)) != 0) return nullptr;
  const auto entry = live_.find(Value(tid));
  const bool registered = entry != live_.end();
  if (left_.erase(Value(tid)) != 0) {
    *observed = Observed::kFromNow;
  } else {
    // A thread that enters the JVM may have lived long before.
    const bool is_new = registered || path == PrimingPath::kHook;
    *observed = is_new ? Observed::kFromBirth : ObservedFound(start_ticks);
  }
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
  const StackBounds stack = OwnStackUnlessKnown();
  // One that the hook has announced is registered, and not asked.
  const uint64_t start_ticks = CurrentThread() == nullptr ? files_.StartTicks(CurrentTid()) : 0;
  const AsyncSignalsBlocked blocked;
  const std::lock_guard lock(mutex_);
  detached_.erase(Value(CurrentTid()));
  Observed observed;
  Entry* entry = EnterCurrentLocked(PrimingPath::kJvmti, start_ticks, &observed);
  if (entry == nullptr) return;
  SetJavaInfoLocked(*entry, std::move(info), observed);
  SetStack(*entry->record, stack);
  entry->record->jni_env.store(jni_env, std::memory_order_release);
  java_threads_.Set(CurrentTid());
}

void ThreadRegistry::OnJavaThreadEnd() {
  const Tid tid = CurrentTid();
  const AsyncSignalsBlocked blocked;
  const std::lock_guard lock(mutex_);
  java_threads_.Clear(tid);
  if (is_listing_) detached_.insert(Value(tid));
  const auto entry = live_.find(Value(tid));
  if (entry == live_.end()) return;
  entry->second.record->jni_env.store(nullptr, std::memory_order_release);
  if (entry->second.hooked && native_ends_ == NativeEnds::kAnnounced) return;
  EndLocked(entry, EndedBy::kItself);
  left_.insert(Value(tid));  // it may live on without the JVM
}

void ThreadRegistry::OnNativeThreadStart(Nanos created_ns) {
  const StackBounds stack = OwnStackUnlessKnown();
  const AsyncSignalsBlocked blocked;
  const std::lock_guard lock(mutex_);
  // What is older than this thread is another thread's, which has ended without a word.
  const auto present = live_.find(Value(CurrentTid()));
  if (present != live_.end() &&
      present->second.record->claimed_ns.load(std::memory_order_relaxed) < created_ns) {
    EndLocked(present, EndedBy::kAbsence);
  }
  Observed observed;
  Entry* entry = EnterCurrentLocked(PrimingPath::kHook, 0, &observed);
  if (entry == nullptr) return;
  entry->hooked = true;
  SetStack(*entry->record, stack);
  if (entry->record->path.load(std::memory_order_relaxed) == PrimingPath::kHook) {
    counts_.latency[static_cast<size_t>(PrimingPath::kHook)].Add(MonotonicNanos() - created_ns);
  }
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

void ThreadRegistry::SetJavaThread(Tid tid, void* jni_env, JavaThreadInfo info, StackBounds stack) {
  const uint64_t start_ticks = IsLive(tid) ? 0 : files_.StartTicks(tid);
  const std::lock_guard lock(mutex_);
  if (ignored_.count(Value(tid)) != 0 || !TaskExists(tid)) return;
  if (detached_.count(Value(tid)) != 0) return;
  if (live_.count(Value(tid)) == 0) FoundLocked(tid, PrimingPath::kJvmti, start_ticks);
  const auto entry = live_.find(Value(tid));
  if (entry == live_.end()) return;
  // It has announced itself since, perhaps as another thread than the one with this tid before.
  if (entry->second.record->jni_env.load(std::memory_order_acquire) != nullptr) return;
  SetJavaInfoLocked(entry->second, std::move(info), Observed::kFromNow);
  SetStack(*entry->second.record, stack);
  entry->second.record->jni_env.store(jni_env, std::memory_order_release);
  java_threads_.Set(tid);
}

void ThreadRegistry::EndJavaThreadList() {
  const std::lock_guard lock(mutex_);
  is_listing_ = false;
  detached_ = {};
}

void ThreadRegistry::UpdateJavaThread(Tid tid, JavaThreadInfo info) {
  const std::lock_guard lock(mutex_);
  const auto entry = live_.find(Value(tid));
  if (entry == live_.end()) return;
  // The tid was read a moment ago; the Java thread's id says whether it is still its own.
  if (infos_.At(SerialOf(*entry->second.record)).java.id != info.id) return;
  SetJavaInfoLocked(entry->second, std::move(info), Observed::kFromNow);
}

void ThreadRegistry::ExpectNewNames() {
  const std::lock_guard lock(mutex_);
  for (auto& [tid, entry] : live_) entry.settled = false;
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
  std::unique_lock lock(mutex_);
  std::shared_ptr<const ThreadInfo> known = infos_.Find(serial);
  if (known == nullptr) {
    auto info = std::make_shared<ThreadInfo>();
    info->serial = serial;
    info->tid = tid;
    return info;
  }
  const auto has_that_record = [&](Live::iterator entry) {
    return entry != live_.end() && SerialOf(*entry->second.record) == serial;
  };
  auto entry = live_.find(Value(known->tid));
  if (!has_that_record(entry) || entry->second.settled) return known;
  lock.unlock();
  const std::string name = files_.Name(known->tid);
  lock.lock();
  entry = live_.find(Value(known->tid));
  if (has_that_record(entry)) RefreshLocked(entry->second, name);
  known = infos_.Find(serial);
  return known;
}

std::vector<uint32_t> ThreadRegistry::Ended() {
  const std::lock_guard lock(mutex_);
  return infos_.Ended();
}

void ThreadRegistry::ForgetEnded(const std::vector<uint32_t>& serials) {
  const std::lock_guard lock(mutex_);
  infos_.Forget(serials);
}

std::unordered_set<uint64_t> ThreadRegistry::Known() {
  const std::lock_guard lock(mutex_);
  return infos_.Known();
}

std::unordered_set<uint32_t> ThreadRegistry::JavaThreadsAmong(
    const std::vector<uint32_t>& serials) {
  std::unordered_set<uint32_t> java;
  const std::lock_guard lock(mutex_);
  for (const uint32_t serial : serials) {
    const std::shared_ptr<const ThreadInfo> info = infos_.Find(serial);
    if (info != nullptr && info->java.id != 0) java.insert(serial);
  }
  return java;
}

std::vector<ThreadLoss> ThreadRegistry::TakeLosses() {
  const std::lock_guard lock(mutex_);
  for (uint32_t i = 0; i < records_.HighWater(); ++i) TakeLossesLocked(*records_.At(i));
  return std::exchange(losses_, {});
}

HandlerCost ThreadRegistry::TakeHandlerCost() {
  HandlerCost time;
  for (uint32_t i = 0; i < records_.HighWater(); ++i) {
    ProfiledThread& record = *records_.At(i);
    // Of most threads there is nothing: those that sleep keep their cache lines.
    if (record.handler_ns.load(std::memory_order_relaxed) == 0) continue;
    time.handler_ns += record.handler_ns.exchange(0, std::memory_order_relaxed);
    time.walk_ns += record.walk_ns.exchange(0, std::memory_order_relaxed);
  }
  return time;
}

PrimingCounts ThreadRegistry::Counts() {
  const std::lock_guard lock(mutex_);
  PrimingCounts counts = counts_;
  counts.records_in_use = live_.size();
  counts.java_threads = static_cast<uint64_t>(std::ranges::count_if(
      live_, [this](const auto& entry) { return java_threads_.Test(Tid{entry.first}); }));
  counts.records_recycled = records_.claims() - records_.HighWater();
  return counts;
}

bool ThreadRegistry::IsLive(Tid tid) {
  const std::lock_guard lock(mutex_);
  return live_.count(Value(tid)) != 0;
}

size_t ThreadRegistry::live_threads() {
  const std::lock_guard lock(mutex_);
  return live_.size();
}

}  // namespace jprof
