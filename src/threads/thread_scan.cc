#include "threads/thread_scan.h"

#include <unordered_set>
#include <vector>

#include "os/task_list.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

// True if the thread will announce its end. Until it does, its tid cannot be reused, so a scan need
// not read a file to check the tid. Most threads announce their end.
bool WillAnnounceItsEnd(ThreadRoster& roster, int32_t tid, const ThreadEntry& entry) {
  return roster.java_threads().Test(Tid{tid}) || roster.AnnouncesItsEnd(entry);
}

// Returns requests for the facts to read, about listed threads without a slot and about registered
// threads.
TaskFactsByTid FactsToRead(ThreadRoster& roster, const std::vector<Tid>& listed, PrimingPath path,
                           Identity identity) {
  // At start there can be thousands of threads, and reading a file for each would double the time
  // of the start. Therefore the name of a thread is read by a later scan, or with the first sample
  // of the thread.
  const bool at_start = path == PrimingPath::kScan;
  const bool names = !at_start || roster.SelectsByName();
  TaskFactsByTid facts;
  for (const Tid tid : listed) {
    if (!roster.IsIgnored(tid) && roster.Find(tid) == nullptr) {
      facts[Value(tid)] = {0, false, !at_start, names};
    }
  }
  for (const auto& [tid, entry] : roster.live()) {
    const bool checked = identity == Identity::kChecked;
    const bool doubted = checked && (at_start || !WillAnnounceItsEnd(roster, tid, entry));
    const bool start = doubted || (!at_start && entry.start_ticks == 0);
    // The new name of a known thread is read with its next sample, unless the filter selects by
    // name.
    const bool wants_new = !entry.name_settled || roster.SelectsByName();
    const bool name = names && !entry.name_confirmed && (checked ? wants_new : !entry.named);
    if (start || name) facts[tid] = {entry.serial(), doubted, start, name};
  }
  return facts;
}

// True if the tid has been reused, which shows in a different start time. If the start time of the
// registered thread is not known, a start after the thread's slot was claimed shows that the tid
// belongs to another thread now.
bool IsAnotherThread(const ThreadEntry& entry, const TaskFacts& facts) {
  const uint64_t ticks = facts.start_ticks;
  if (!facts.identity_doubted || ticks == 0) return false;  // 0 if the thread is just ending
  if (entry.start_ticks != 0) return ticks != entry.start_ticks;
  const Nanos age_ns = MonotonicNanos() - entry.slot->claimed_ns.load(std::memory_order_relaxed);
  return StartedAtNs(ticks) > ReadClock(CLOCK_BOOTTIME) - age_ns + TickNanos();
}

// Updates the roster with the results of one scan: the kernel's list, and the facts that were read.
class Changes {
 public:
  Changes(ThreadRoster& roster, const std::vector<Tid>& listed, TaskFactsByTid facts,
          PrimingPath path)
      : roster_(roster), listed_(listed), facts_(std::move(facts)), path_(path) {
    for (const Tid tid : listed) tasks_.insert(Value(tid));
    // Facts are valid only for the slot that the thread had when they were requested.
    std::erase_if(facts_, [&](const auto& answer) {
      const ThreadEntry* entry = roster_.Find(Tid{answer.first});
      return (entry == nullptr ? 0 : entry->serial()) != answer.second.serial;
    });
  }

  void Apply(ThreadSlots& slots) {
    roster_.ForgetTids([this](Tid tid) { return IsAlive(tid); });
    EndMissing();
    AdoptClaimed(slots);
    for (const Tid tid : listed_) {
      // A thread without facts has started or ended since the list was made. The next scan finds
      // it.
      const auto answer = facts_.find(Value(tid));
      if (answer == facts_.end() || roster_.IsIgnored(tid)) continue;
      const TaskFacts& known = answer->second;
      ThreadEntry* entry = roster_.Find(tid);
      if (entry == nullptr && TaskExists(tid)) {
        entry = roster_.EnterUnannounced(tid, path_, known.start_ticks);
      }
      if (entry == nullptr) continue;
      roster_.LearnStart(*entry, known.start_ticks);
      roster_.SetOsName(*entry, known.name);
    }
  }

 private:
  // True if the thread lives. The kernel's list might lack a live thread, so a missing tid is
  // looked up by itself.
  bool IsAlive(Tid tid) const { return tasks_.count(Value(tid)) != 0 || TaskExists(tid); }

  void EndMissing() {
    ThreadRoster::Live& live = roster_.live();
    for (auto entry = live.begin(); entry != live.end();) {
      if (!IsAlive(Tid{entry->first})) {
        entry = roster_.End(entry, {EndedBy::kAbsence});
        continue;
      }
      const auto answer = facts_.find(entry->first);
      if (answer != facts_.end() && IsAnotherThread(entry->second, answer->second)) {
        roster_.PassToNewThread(entry, path_, answer->second.start_ticks);
      }
      ++entry;
    }
  }

  // Enters the threads whose slots were claimed by handlers. Releases a claimed slot whose thread
  // has ended.
  void AdoptClaimed(ThreadSlots& slots) {
    for (uint32_t index = 0; index < slots.HighWater(); ++index) {
      ThreadSlot* slot = slots.At(index);
      const Tid tid = slot->tid.load(std::memory_order_acquire);
      if (tid == Tid{0} || !slots.IsTaken(index) || !roster_.IsClaimed(*slot)) continue;
      if (IsAlive(tid)) {
        roster_.Adopt(tid, slot, Observed::kFromNow);
      } else {
        roster_.Release(slot);
      }
    }
  }

  ThreadRoster& roster_;
  const std::vector<Tid>& listed_;
  TaskFactsByTid facts_;
  const PrimingPath path_;
  std::unordered_set<int32_t> tasks_;
};

}  // namespace

Status ScanThreads(Guarded<ThreadRoster>& threads, ThreadSlots& slots, TaskFiles& files,
                   PrimingPath path, Identity identity) {
  Result<std::vector<Tid>> listed = ListTasks();
  if (!listed) return listed.error();
  TaskFactsByTid facts = FactsToRead(*threads.Lock(), listed.value(), path, identity);
  for (auto& [tid, answer] : facts) answer.Read(files, Tid{tid});
  const auto roster = threads.Lock();
  Changes(*roster, listed.value(), std::move(facts), path).Apply(slots);
  return {};
}

}  // namespace jprof
