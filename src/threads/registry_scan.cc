// The scan: how the registry follows the kernel's list of threads.
#include <utility>

#include "os/task_list.h"
#include "sigsafe/os/clock.h"
#include "threads/thread_registry.h"

namespace jprof {
namespace {

// The list of tasks may leave out a thread that lives: what it lacks is asked for by itself.
bool IsAlive(const std::unordered_set<int32_t>& tasks, int32_t tid) {
  return tasks.count(tid) != 0 || TaskExists(Tid{tid});
}

uint32_t SerialOf(const ProfiledThread& record) {
  return record.serial.load(std::memory_order_relaxed);
}

}  // namespace

Status ThreadRegistry::Rescan(PrimingPath path, Identity identity) {
  Result<std::vector<Tid>> listed = ListTasks();
  if (!listed) return listed.error();
  TaskFactsByTid facts = Questions(listed.value(), path, identity);
  for (auto& [tid, answer] : facts) answer.Read(files_, Tid{tid});
  const std::lock_guard lock(mutex_);
  std::erase_if(facts, [this](const auto& answer) {
    return LiveSerialLocked(answer.first) != answer.second.serial;
  });
  ScanLocked(listed.value(), facts, path);
  return {};
}

// What is to be known of those that are listed, and of those that are taken for alive.
TaskFactsByTid ThreadRegistry::Questions(const std::vector<Tid>& listed, PrimingPath path,
                                         Identity identity) {
  const std::lock_guard lock(mutex_);
  // At start there may be thousands, and each file that is read of one takes as long as its timer:
  // that is left to a later scan, or to whom it is needed of.
  const bool at_start = path == PrimingPath::kScan;
  const bool names = !at_start || filter_.selects_by_name();
  TaskFactsByTid facts;
  for (const Tid tid : listed) {
    if (ignored_.count(Value(tid)) == 0 && live_.count(Value(tid)) == 0) {
      facts[Value(tid)] = {0, false, !at_start, names};
    }
  }
  for (auto entry = live_.cbegin(); entry != live_.cend(); ++entry) {
    const Entry& thread = entry->second;
    const bool checked = identity == Identity::kChecked;
    const bool doubted = checked && (at_start || !WillAnnounceItsEnd(entry));
    const bool start = doubted || (!at_start && thread.start_ticks == 0);
    const bool name = names && !thread.settled && (checked || !thread.named);
    if (!start && !name) continue;
    facts[entry->first] = {SerialOf(*thread.record), doubted, start, name};
  }
  return facts;
}

uint32_t ThreadRegistry::LiveSerialLocked(int32_t tid) const {
  const auto entry = live_.find(tid);
  return entry == live_.end() ? 0 : SerialOf(*entry->second.record);
}

void ThreadRegistry::ScanLocked(const std::vector<Tid>& listed, const TaskFactsByTid& facts,
                                PrimingPath path) {
  std::unordered_set<int32_t> tasks;
  for (const Tid tid : listed) tasks.insert(Value(tid));
  // A tid that is free may come back as a thread of ours: forget those that ended.
  for (auto* tids : {&ignored_, &left_, &primed_}) {
    std::erase_if(*tids, [&](int32_t tid) { return !IsAlive(tasks, tid); });
  }
  EndMissingLocked(tasks, facts, path);
  AdoptClaimedLocked(tasks);
  for (const Tid tid : listed) {
    // Who has come or gone since is left to the next scan.
    const auto answer = facts.find(Value(tid));
    if (answer == facts.end() || ignored_.count(Value(tid)) != 0) continue;
    const TaskFacts& known = answer->second;
    if (live_.count(Value(tid)) == 0 && TaskExists(tid)) {
      FoundLocked(tid, path, known.start_ticks);
    }
    const auto entry = live_.find(Value(tid));
    if (entry == live_.end()) continue;
    LearnStartLocked(entry->second, known.start_ticks);
    RefreshLocked(entry->second, known.name);
  }
}

void ThreadRegistry::FoundLocked(Tid tid, PrimingPath path, uint64_t start_ticks) {
  // What the scan at start finds was there before, but for a moment.
  const bool was_there = path == PrimingPath::kScan || left_.count(Value(tid)) != 0;
  RegisterLocked(tid, records_.Claim(tid, path),
                 was_there ? Observed::kFromNow : ObservedFound(start_ticks));
}

// Of a thread that did not announce itself when it began.
Observed ThreadRegistry::ObservedFound(uint64_t start_ticks) const {
  const bool later = StartedAtNs(start_ticks) >= begun_ns_ - TickNanos();
  return later ? Observed::kFromBirth : Observed::kFromNow;
}

void ThreadRegistry::EndMissingLocked(const std::unordered_set<int32_t>& tasks,
                                      const TaskFactsByTid& facts, PrimingPath path) {
  for (auto entry = live_.begin(); entry != live_.end();) {
    if (!IsAlive(tasks, entry->first)) {
      entry = EndLocked(entry, EndedBy::kAbsence);
      continue;
    }
    const auto answer = facts.find(entry->first);
    if (answer != facts.end() && IsAnotherThread(entry, answer->second)) {
      SucceedLocked(entry, path, answer->second.start_ticks);
    }
    ++entry;
  }
}

// Such a thread lives until it has said otherwise: its tid cannot be another's. That saves most
// threads the reading of a file at every scan.
bool ThreadRegistry::WillAnnounceItsEnd(Live::const_iterator entry) const {
  return java_threads_.Test(Tid{entry->first}) ||
         (entry->second.hooked && native_ends_ == NativeEnds::kAnnounced);
}

// The tid is there, but is it the same thread? Where nobody has asked yet when it started, one that
// started after its record was taken is another.
bool ThreadRegistry::IsAnotherThread(Live::const_iterator entry, const TaskFacts& facts) {
  const uint64_t ticks = facts.start_ticks;
  if (!facts.doubted || ticks == 0) return false;  // 0: it is just ending
  const uint64_t known_ticks = entry->second.start_ticks;
  if (known_ticks != 0) return ticks != known_ticks;
  const Nanos age_ns =
      MonotonicNanos() - entry->second.record->claimed_ns.load(std::memory_order_relaxed);
  return StartedAtNs(ticks) > ReadClock(CLOCK_BOOTTIME) - age_ns + TickNanos();
}

// Records that handlers claimed by themselves become registered ones, or are released if their
// thread is gone.
void ThreadRegistry::AdoptClaimedLocked(const std::unordered_set<int32_t>& tasks) {
  for (uint32_t index = 0; index < records_.HighWater(); ++index) {
    ProfiledThread* record = records_.At(index);
    const Tid tid = record->tid.load(std::memory_order_acquire);
    if (tid == Tid{0} || !records_.IsTaken(index) || infos_.Find(SerialOf(*record)) != nullptr) {
      continue;
    }
    if (IsAlive(tasks, Value(tid))) {
      AdoptLocked(tid, record, Observed::kFromNow);
    } else {
      ReleaseLocked(record);
    }
  }
}

// The start time, with the tid the identity; and how late the watcher was.
void ThreadRegistry::LearnStartLocked(Entry& entry, uint64_t start_ticks) {
  if (entry.start_ticks != 0 || start_ticks == 0) return;
  entry.start_ticks = start_ticks;
  const PrimingPath path = entry.record->path.load(std::memory_order_relaxed);
  if (path != PrimingPath::kWatcher) return;
  counts_.latency[static_cast<size_t>(path)].Add(ReadClock(CLOCK_BOOTTIME) -
                                                 StartedAtNs(entry.start_ticks));
}

void ThreadRegistry::RefreshLocked(Entry& entry, const std::string& name) {
  // Empty: not asked for, or it has ended: what it was called stays.
  if (entry.settled || name.empty()) return;
  infos_.SetOsName(SerialOf(*entry.record), name);
  entry.settled = std::exchange(entry.named, true);
  SelectLocked(entry, Observed::kFromNow);
}

}  // namespace jprof
