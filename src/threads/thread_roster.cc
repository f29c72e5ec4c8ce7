#include "threads/thread_roster.h"

#include <algorithm>

#include "os/task_list.h"
#include "sigsafe/base/check.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/thread_id.h"
#include "sigsafe/threads/current_thread.h"
#include "threads/task_facts.h"

namespace jprof {

ThreadRoster::ThreadRoster(ThreadSlots& slots, JavaThreadFilter& java_threads)
    : slots_(slots), java_threads_(java_threads), begun_ns_(ReadClock(CLOCK_BOOTTIME)) {}

void ThreadRoster::Begin(ThreadFilter filter) {
  JPROF_CHECK(listeners_.empty());
  filter_ = std::move(filter);
  counts_ = {};
  primed_.clear();  // pending signals were dropped when the handler was removed
  stale_java_threads_.BeginListing();
  begun_ns_ = ReadClock(CLOCK_BOOTTIME);
  java_threads_.ClearAll();
  for (auto& [tid, entry] : live_) {
    entry.slot->jni_env.store(nullptr, std::memory_order_release);
    SetJava(entry, {}, Observed::kFromNow);
  }
}

void ThreadRoster::AddListener(ThreadListener* listener) {
  listeners_.push_back(listener);
  for (const auto& [tid, entry] : live_) {
    if (entry.selected) listener->OnThreadStart(*entry.slot, Observed::kFromNow);
  }
}

void ThreadRoster::Ignore(Tid tid) {
  ignored_.insert(Value(tid));
  End(tid, {EndedBy::kAbsence});
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
    // If only JVMTI announces the thread, the thread might have been running for a long time before
    // it attached.
    const bool is_new = registered || path == PrimingPath::kHook;
    *observed = is_new ? Observed::kFromBirth : ObservedFound(start_ticks);
  }
  ThreadSlot* offered = registered ? entry->slot : slots_.Claim(tid, path);
  if (offered == nullptr) return nullptr;
  // If a signal handler on this thread has claimed a slot already, that slot is used.
  ThreadSlot* slot = SetCurrentThreadIfNone(offered);
  slot->adopted.store(true, std::memory_order_relaxed);
  if (slot != offered && !registered) slots_.Release(offered);
  if (slot != offered || !registered) Adopt(tid, slot, *observed);
  return Find(tid);
}

ThreadEntry* ThreadRoster::EnterUnannounced(Tid tid, PrimingPath path, uint64_t start_ticks) {
  // A thread that is found by the scan at the start was running before the recording, or has
  // started just now.
  const bool was_there = path == PrimingPath::kScan || left_.count(Value(tid)) != 0;
  return Register(tid, slots_.Claim(tid, path),
                  was_there ? Observed::kFromNow : ObservedFound(start_ticks));
}

// Returns the Observed of a thread that was not announced at its start.
Observed ThreadRoster::ObservedFound(uint64_t start_ticks) const {
  const bool later = StartedAtNs(start_ticks) >= begun_ns_ - TickNanos();
  return later ? Observed::kFromBirth : Observed::kFromNow;
}

void ThreadRoster::Adopt(Tid tid, ThreadSlot* slot, Observed observed) {
  JavaThreadInfo java;
  const auto present = live_.find(Value(tid));
  if (present != live_.end()) {
    // Copies what belongs to the thread and not to the slot: JNIEnv, name, stack, CPU time.
    const ThreadSlot& unused = *present->second.slot;
    observed = Observed::kContinued;
    slot->cpu_due_ns.store(unused.cpu_due_ns.load(std::memory_order_relaxed),
                           std::memory_order_relaxed);
    java = infos_.At(present->second.serial()).java;
    for (const auto member : {&ThreadSlot::stack_low, &ThreadSlot::stack_high}) {
      (slot->*member)
          .store((unused.*member).load(std::memory_order_relaxed), std::memory_order_relaxed);
    }
    slot->jni_env.store(unused.jni_env.load(std::memory_order_acquire), std::memory_order_release);
    End(present, {EndedBy::kAbsence});
  }
  SetJava(*Register(tid, slot, observed), std::move(java), observed);
}

bool ThreadRoster::IsClaimed(const ThreadSlot& slot) const {
  return infos_.Find(slot.serial.load(std::memory_order_relaxed)) == nullptr;
}

// Enters a thread in live_ with its slot. Returns nullptr if `slot` is null; signal handlers count
// the samples of such a thread as lost.
ThreadEntry* ThreadRoster::Register(Tid tid, ThreadSlot* slot, Observed observed) {
  if (slot == nullptr) return nullptr;
  ThreadEntry& entry = live_[Value(tid)];
  entry = {.slot = slot};
  ++counts_.threads[static_cast<size_t>(slot->path.load(std::memory_order_relaxed))];
  infos_.Add(entry.serial(), tid);
  Select(entry, observed);
  return &entry;
}

ThreadRoster::Live::iterator ThreadRoster::End(Live::iterator entry, const EndOfThread& end) {
  Close(entry, end);
  Release(entry->second.slot);
  return live_.erase(entry);
}

void ThreadRoster::End(Tid tid, const EndOfThread& end) {
  const auto entry = live_.find(Value(tid));
  if (entry != live_.end()) End(entry, end);
}

void ThreadRoster::EndDetached(Tid tid, const EndOfThread& end) {
  End(tid, end);
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
  ThreadSlot* slot = entry->second.slot;
  Close(entry, {EndedBy::kAbsence});
  losses_.Collect(*slot);
  slots_.Renew(slot, path);
  Register(Tid{entry->first}, slot, ObservedFound(start_ticks));
}

// Announces the end to listeners, java_threads_ and infos_. The slot and the entry stay.
void ThreadRoster::Close(Live::iterator entry, const EndOfThread& end) {
  ThreadSlot* slot = entry->second.slot;
  const uint32_t serial = entry->second.serial();
  if (entry->second.selected) {
    for (ThreadListener* listener : listeners_) listener->OnThreadEnd(*slot, end);
  }
  java_threads_.Clear(Tid{entry->first});
  if (end.by == EndedBy::kItself) {
    // A Java thread has announced its last name already (ThreadRegistry::OnJavaThreadEnd).
    if (infos_.At(serial).java.name.empty()) {
      infos_.SetOsName(serial, CurrentTaskName(), entry->second.name_read_ns);
    }
    EndCurrentThread();
  }
  infos_.End(serial);
}

// Collects the losses first, so that the slot's next thread starts without losses.
void ThreadRoster::Release(ThreadSlot* slot) {
  losses_.Collect(*slot);
  slots_.Release(slot);
}

void ThreadRoster::SetJava(ThreadEntry& entry, JavaThreadInfo java, Observed observed) {
  entry.slot->java_id.store(java.id, std::memory_order_relaxed);
  infos_.SetJava(entry.serial(), std::move(java), entry.name_read_ns);
  entry.name_read_ns = MonotonicNanos();
  Select(entry, observed);
}

void ThreadRoster::SetJavaName(ThreadEntry& entry, const std::string& name, Nanos now_ns) {
  if (now_ns < entry.name_read_ns) return;  // the thread has announced a newer name
  const JavaThreadInfo& known = infos_.At(entry.serial()).java;
  if (known.id != 0 && known.name != name) {
    JavaThreadInfo renamed = known;
    renamed.name = name;
    infos_.SetJava(entry.serial(), std::move(renamed), entry.name_read_ns);
    entry.name_confirmed = false;  // the kernel's name might have changed, too
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
      listener->OnThreadStart(*entry.slot, observed);
    } else {
      listener->OnThreadEnd(*entry.slot, {EndedBy::kAbsence});
    }
  }
}

void ThreadRoster::LearnStart(ThreadEntry& entry, uint64_t start_ticks) {
  if (entry.start_ticks != 0 || start_ticks == 0) return;
  entry.start_ticks = start_ticks;
  const PrimingPath path = entry.slot->path.load(std::memory_order_relaxed);
  if (path != PrimingPath::kWatcher) return;
  AddLatency(path, ReadClock(CLOCK_BOOTTIME) - StartedAtNs(start_ticks));
}

PrimingCounts ThreadRoster::Counts() const {
  PrimingCounts counts = counts_;
  counts.slots_in_use = live_.size();
  counts.java_threads = static_cast<uint64_t>(std::ranges::count_if(
      live_, [this](const auto& entry) { return java_threads_.Test(Tid{entry.first}); }));
  counts.slots_recycled = slots_.claims() - slots_.HighWater();
  return counts;
}

std::vector<ThreadLoss> ThreadRoster::TakeLosses() {
  for (uint32_t i = 0; i < slots_.HighWater(); ++i) losses_.Collect(*slots_.At(i));
  return losses_.Take();
}

}  // namespace jprof
