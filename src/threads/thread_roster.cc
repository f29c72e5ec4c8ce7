#include "threads/thread_roster.h"

#include <algorithm>

#include "os/task_list.h"
#include "sigsafe/base/check.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/thread_id.h"
#include "sigsafe/threads/current_thread.h"
#include "threads/task_facts.h"

namespace jprof {

ThreadRoster::ThreadRoster(ThreadRecords& records, JavaThreadFilter& java_threads)
    : records_(records), java_threads_(java_threads), begun_ns_(ReadClock(CLOCK_BOOTTIME)) {}

void ThreadRoster::Begin(ThreadFilter filter) {
  JPROF_CHECK(listeners_.empty());
  filter_ = std::move(filter);
  counts_ = {};
  primed_.clear();  // pending signals were dropped with the handler
  stale_java_threads_.BeginListing();
  begun_ns_ = ReadClock(CLOCK_BOOTTIME);
  java_threads_.ClearAll();
  for (auto& [tid, entry] : live_) {
    entry.record->jni_env.store(nullptr, std::memory_order_release);
    SetJava(entry, {}, Observed::kFromNow);
  }
}

void ThreadRoster::AddListener(ThreadListener* listener) {
  listeners_.push_back(listener);
  for (const auto& [tid, entry] : live_) {
    if (entry.selected) listener->OnThreadStart(*entry.record, Observed::kFromNow);
  }
}

void ThreadRoster::Ignore(Tid tid) {
  ignored_.insert(Value(tid));
  End(tid, EndedBy::kAbsence);
}

ThreadEntry* ThreadRoster::Find(Tid tid) {
  const auto entry = live_.find(Value(tid));
  return entry == live_.end() ? nullptr : &entry->second;
}

ThreadEntry* ThreadRoster::EnterCurrent(PrimingPath path, uint64_t start_ticks,
                                        Observed* observed) {
  const Tid tid = CurrentTid();
  if (IsIgnored(tid)) return nullptr;
  const ThreadEntry* entry = Find(tid);
  const bool registered = entry != nullptr;
  if (left_.erase(Value(tid)) != 0) {
    *observed = Observed::kFromNow;
  } else {
    // A thread that enters the JVM may have lived long before.
    const bool is_new = registered || path == PrimingPath::kHook;
    *observed = is_new ? Observed::kFromBirth : ObservedFound(start_ticks);
  }
  ProfiledThread* offered = registered ? entry->record : records_.Claim(tid, path);
  if (offered == nullptr) return nullptr;
  // A handler on this thread may have claimed a record already: then that record is used.
  ProfiledThread* record = SetCurrentThreadIfNone(offered);
  record->adopted.store(true, std::memory_order_relaxed);
  if (record != offered && !registered) records_.Release(offered);
  if (record != offered || !registered) Adopt(tid, record, *observed);
  return Find(tid);
}

ThreadEntry* ThreadRoster::EnterUnannounced(Tid tid, PrimingPath path, uint64_t start_ticks) {
  // A thread that the scan at start finds was there before, but for a moment.
  const bool was_there = path == PrimingPath::kScan || left_.count(Value(tid)) != 0;
  return Register(tid, records_.Claim(tid, path),
                  was_there ? Observed::kFromNow : ObservedFound(start_ticks));
}

// For a thread that was not announced at its start.
Observed ThreadRoster::ObservedFound(uint64_t start_ticks) const {
  const bool later = StartedAtNs(start_ticks) >= begun_ns_ - TickNanos();
  return later ? Observed::kFromBirth : Observed::kFromNow;
}

void ThreadRoster::Adopt(Tid tid, ProfiledThread* record, Observed observed) {
  JavaThreadInfo java;
  const auto present = live_.find(Value(tid));
  if (present != live_.end()) {
    // JNIEnv, name and clock belong to the thread, not to the record.
    const ProfiledThread& unused = *present->second.record;
    observed = Observed::kContinued;
    record->cpu_due_ns.store(unused.cpu_due_ns.load(std::memory_order_relaxed),
                             std::memory_order_relaxed);
    java = infos_.At(present->second.serial()).java;
    for (const auto member : {&ProfiledThread::stack_low, &ProfiledThread::stack_high}) {
      (record->*member)
          .store((unused.*member).load(std::memory_order_relaxed), std::memory_order_relaxed);
    }
    record->jni_env.store(unused.jni_env.load(std::memory_order_acquire),
                          std::memory_order_release);
    End(present, EndedBy::kAbsence);
  }
  SetJava(*Register(tid, record, observed), std::move(java), observed);
}

bool ThreadRoster::IsClaimed(const ProfiledThread& record) const {
  return infos_.Find(record.serial.load(std::memory_order_relaxed)) == nullptr;
}

// nullptr if `record` is null: handlers count the samples of a thread without a record.
ThreadEntry* ThreadRoster::Register(Tid tid, ProfiledThread* record, Observed observed) {
  if (record == nullptr) return nullptr;
  ThreadEntry& entry = live_[Value(tid)];
  entry = {.record = record};
  ++counts_.threads[static_cast<size_t>(record->path.load(std::memory_order_relaxed))];
  infos_.Add(entry.serial(), tid);
  Select(entry, observed);
  return &entry;
}

ThreadRoster::Live::iterator ThreadRoster::End(Live::iterator entry, EndedBy ended_by) {
  Close(entry, ended_by);
  Release(entry->second.record);
  return live_.erase(entry);
}

void ThreadRoster::End(Tid tid, EndedBy ended_by) {
  const auto entry = live_.find(Value(tid));
  if (entry != live_.end()) End(entry, ended_by);
}

void ThreadRoster::EndDetached(Tid tid) {
  End(tid, EndedBy::kItself);
  left_.insert(Value(tid));
}

void ThreadRoster::AnnounceJavaStart(const ThreadEntry* entry, const void* jni_env) {
  if (entry != nullptr && !entry->selected) return;
  for (ThreadListener* listener : listeners_) listener->OnJavaThreadStart(jni_env);
}

void ThreadRoster::AnnounceJavaEnd(const ThreadEntry* entry, const void* jni_env) {
  if (entry != nullptr && !entry->selected) return;
  for (ThreadListener* listener : listeners_) listener->OnJavaThreadEnd(jni_env);
}

void ThreadRoster::PassToNewThread(Live::iterator entry, PrimingPath path, uint64_t start_ticks) {
  ProfiledThread* record = entry->second.record;
  Close(entry, EndedBy::kAbsence);
  losses_.Collect(*record);
  records_.Renew(record, path);
  Register(Tid{entry->first}, record, ObservedFound(start_ticks));
}

// Announces the end to listeners, filter and infos; the record and the entry stay.
void ThreadRoster::Close(Live::iterator entry, EndedBy ended_by) {
  ProfiledThread* record = entry->second.record;
  const uint32_t serial = entry->second.serial();
  if (entry->second.selected) {
    for (ThreadListener* listener : listeners_) listener->OnThreadEnd(*record, ended_by);
  }
  java_threads_.Clear(Tid{entry->first});
  if (ended_by == EndedBy::kItself) {
    // A Java thread has announced its last name before (ThreadRegistry::OnJavaThreadEnd).
    if (infos_.At(serial).java.name.empty()) {
      infos_.SetOsName(serial, CurrentTaskName(), entry->second.name_read_ns);
    }
    EndCurrentThread();
  }
  infos_.End(serial);
}

// The losses are collected first: the record's next thread starts without losses.
void ThreadRoster::Release(ProfiledThread* record) {
  losses_.Collect(*record);
  records_.Release(record);
}

void ThreadRoster::SetJava(ThreadEntry& entry, JavaThreadInfo java, Observed observed) {
  entry.record->java_id.store(java.id, std::memory_order_relaxed);
  infos_.SetJava(entry.serial(), std::move(java), entry.name_read_ns);
  entry.name_read_ns = MonotonicNanos();
  Select(entry, observed);
}

void ThreadRoster::SetJavaName(ThreadEntry& entry, const std::string& name, Nanos now_ns) {
  if (now_ns < entry.name_read_ns) return;  // the thread has announced a newer name meanwhile
  const JavaThreadInfo& known = infos_.At(entry.serial()).java;
  if (known.id != 0 && known.name != name) {
    JavaThreadInfo renamed = known;
    renamed.name = name;
    infos_.SetJava(entry.serial(), std::move(renamed), entry.name_read_ns);
    entry.name_confirmed = false;  // a thread that names itself has another name in the kernel too
    Select(entry, Observed::kFromNow);
  }
  entry.name_read_ns = now_ns;
}

void ThreadRoster::SetOsName(ThreadEntry& entry, const std::string& name) {
  if (entry.name_confirmed || name.empty()) return;
  infos_.SetOsName(entry.serial(), name, entry.name_read_ns);
  if (infos_.At(entry.serial()).java.id == 0) entry.name_read_ns = MonotonicNanos();
  entry.name_confirmed = std::exchange(entry.named, true);
  entry.name_settled |= entry.name_confirmed;
  Select(entry, Observed::kFromNow);
}

void ThreadRoster::Select(ThreadEntry& entry, Observed observed) {
  const ThreadInfo& info = infos_.At(entry.serial());
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

void ThreadRoster::LearnStart(ThreadEntry& entry, uint64_t start_ticks) {
  if (entry.start_ticks != 0 || start_ticks == 0) return;
  entry.start_ticks = start_ticks;
  const PrimingPath path = entry.record->path.load(std::memory_order_relaxed);
  if (path != PrimingPath::kWatcher) return;
  AddLatency(path, ReadClock(CLOCK_BOOTTIME) - StartedAtNs(start_ticks));
}

PrimingCounts ThreadRoster::Counts() const {
  PrimingCounts counts = counts_;
  counts.records_in_use = live_.size();
  counts.java_threads = static_cast<uint64_t>(std::ranges::count_if(
      live_, [this](const auto& entry) { return java_threads_.Test(Tid{entry.first}); }));
  counts.records_recycled = records_.claims() - records_.HighWater();
  return counts;
}

std::vector<ThreadLoss> ThreadRoster::TakeLosses() {
  for (uint32_t i = 0; i < records_.HighWater(); ++i) losses_.Collect(*records_.At(i));
  return losses_.Take();
}

}  // namespace jprof
