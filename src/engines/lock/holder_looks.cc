#include "engines/lock/holder_looks.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/engine_signals.h"
#include "base/scaled_text.h"
#include "chunks/idle_rule.h"
#include "engines/lock/wait_totals.h"
#include "jvm/exit_watch.h"
#include "os/cpu_clock.h"
#include "os/task_list.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/signal_mask.h"
#include "sigsafe/os/thread_id.h"
#include "sigsafe/stack/walk_environment.h"

namespace jprof {
namespace {

// An estimate of the CPU time that an answer costs beside the walk: the delivery of the signal, the
// storing of the stack, and the looker's own work.
constexpr Nanos kDelivery = 10'000;

constexpr uint32_t kMostTries = 16;
// The number of slots and places that the looker remembers before it forgets all of them.
constexpr size_t kMostRemembered = 4096;

// The walk environment, if it allows guarded loads in the VM's memory.
class VmScope {
 public:
  const HotspotLayout* vm() const {
    const bool may_read = scope_ && scope_.environment().faults == LoadFaults::kCaught;
    return may_read ? scope_.environment().vm : nullptr;
  }

 private:
  const WalkScope scope_;
};

}  // namespace

Status HolderLooks::Start(const ThreadIds& ids, const ParkProbes& parks, int avoid) {
  ids_ = &ids;
  parks_ = &parks;
  Result<std::unique_ptr<StackAsker>> asker = StackAsker::Start(avoid);
  if (!asker) return asker.error();
  asker_ = std::move(asker).value();
  Result<StoppableThread> looker =
      StoppableThread::Start("jprof-lock", [this](const StopEvent& stop) { Run(stop); });
  if (!looker) {
    asker_.reset();
    return looker.error();
  }
  looker_ = std::move(looker).value();
  return {};
}

void HolderLooks::Stop() {
  looker_.Stop();
  if (asker_ != nullptr) asker_->Stop();
}

void HolderLooks::Run(const StopEvent& stop) {
  registry_.Ignore(CurrentTid());
  JNIEnv* jni = nullptr;
  char name[] = "jprof locks";
  JavaVMAttachArgs args{JNI_VERSION_1_6, name, nullptr};
  JavaVM* const vm = events_.vm();
  if (vm->AttachCurrentThreadAsDaemon(reinterpret_cast<void**>(&jni), &args) != JNI_OK) return;
  const OpenFaultSignalsScope faults;  // for guarded loads
  if (!faults.are_open()) return;
  Nanos next_ns = MonotonicNanos();
  while (!stop.WaitUntil(next_ns)) {
    // A thread of the agent must not enter a JVM that is about to end.
    if (!VmIsOutOfReach() && !events_.is_ending()) Tick(jni);
    const Nanos now_ns = MonotonicNanos();
    if (!looks_.empty() || monitors_.IsAnyAwaited() || ParkProbes::IsAnyAwaited()) {
      awaited_ns_ = now_ns;
    }
    const bool is_idle = now_ns - awaited_ns_ > kIdleAfter;
    next_ns = std::max(next_ns + (is_idle ? kIdleTick : kTick), now_ns);
  }
  ParkProbes::SetTick(ParkProbes::kNoTicks);
  if (!VmIsOutOfReach()) vm->DetachCurrentThread();
}

void HolderLooks::Tick(JNIEnv* jni) {
  if (kept_at_ != live_.rotations()) KeepStored(jni);
  const Nanos now_ns = MonotonicNanos();
  ParkProbes::SetTick(now_ns);
  FindMonitors(now_ns);
  FindParks(jni, now_ns);
  if (looks_.empty()) return;
  {
    const auto lock = live_.Lock();
    Ask();
    Collect();
  }
  Store(jni);
}

void HolderLooks::FindMonitors(Nanos now_ns) {
  if (!monitors_.IsAnyAwaited()) return;
  const VmScope scope;
  if (scope.vm() == nullptr) return;
  monitors_.VisitAwaited([&](size_t place, const OpenWait& wait) {
    if (wait.held.trace != kNoCallTrace) return false;
    if (IsDue(place, wait, now_ns)) AddMonitor(*scope.vm(), place, wait);
    return true;
  });
}

// A wait whose holder has no stack yet is due again at twice its age.
bool HolderLooks::IsDue(size_t place, const OpenWait& wait, Nanos now_ns) {
  const Nanos age_ns = now_ns - wait.start_ns;
  if (age_ns < kAge) return false;
  if (retries_.size() > kMostRemembered) retries_.clear();
  Retry& retry = retries_[place];
  if (retry.start_ns != wait.start_ns) retry = {wait.start_ns, 0};
  if (age_ns < kAge << retry.tries) return false;
  retry.tries = std::min(retry.tries + 1, kMostTries);
  return true;
}

void HolderLooks::AddMonitor(const HotspotLayout& vm, size_t place, const OpenWait& wait) {
  Look look{.place = place, .wait = wait};
  look.holder = OwnerOfMonitor(vm, wait.monitor, wait.owner, *ids_, &look.word);
  if (look.holder == SampledThread()) return;
  if (look.holder.is_virtual()) {
    SetRunner(look, CarrierOf(vm, look.holder.virtual_id()));
  } else {
    const SampledThread holder = look.holder;
    SetRunner(look, FindSlot(holder.serial(), [&holder](const ThreadSlot& thread) {
                return SampledOf(thread) == holder;
              }));
  }
}

void HolderLooks::FindParks(JNIEnv* jni, Nanos now_ns) {
  held_.clear();
  parks_->FindHeld(jni, now_ns, kAge, held_);
  for (const ParkProbes::HeldPark& park : held_) {
    Look look{.is_park = true, .park = park, .holder = ThreadIds::Signed(park.holder)};
    if (look.holder == SampledThread()) continue;
    SetRunner(look, park.runner == 0 ? nullptr : ThreadIds::SlotOf(park.runner));
  }
}

// Adds the look if its holder runs on a thread.
void HolderLooks::SetRunner(Look& look, const ThreadSlot* slot) {
  if (slot == nullptr) {
    if (look.holder.is_virtual()) unmounted_.fetch_add(1, kRelaxed);
    return;
  }
  look.runner = const_cast<ThreadSlot*>(slot);
  look.runner_serial = slot->serial.load(std::memory_order_relaxed);
  const uint64_t key = KeyOf(look);
  const Nanos start_ns = look.is_park ? look.park.start_ns : look.wait.start_ns;
  const auto known = looked_at_.find(key);
  // An earlier look at the same wait still awaits an answer, or there are too many looks.
  if ((known != looked_at_.end() && known->second == start_ns) || looks_.size() >= kMostLooks) {
    return;
  }
  looked_at_[key] = start_ns;
  looks_.push_back(look);
}

// Returns the open question to the thread that runs the holder, about the monitor of the look;
// nullptr if there is none.
StackAsker::Question* HolderLooks::QuestionTo(const Look& look) {
  const auto found = std::ranges::find_if(questions_, [&look](const auto& question) {
    return question.thread == look.runner && question.serial == look.runner_serial &&
           (look.is_park || question.word.address == look.word.address);
  });
  return found == questions_.end() ? nullptr : &*found;
}

// Asks each thread once, or once for each monitor that it holds. If there are too many threads,
// begins with another one in each tick.
void HolderLooks::Ask() {
  std::rotate(looks_.begin(), looks_.begin() + static_cast<ptrdiff_t>(turn_++ % looks_.size()),
              looks_.end());
  std::unordered_set<const ThreadSlot*> refused;
  for (const Look& look : looks_) {
    if (look.trace != kNoCallTrace || refused.contains(look.runner) ||
        QuestionTo(look) != nullptr) {
      continue;
    }
    StackAnswer answer;
    if (Reuse(*look.runner, look.runner_serial, &answer)) {
      reused_.fetch_add(1, kRelaxed);
      Take(*look.runner, {}, answer);
      continue;
    }
    if (questions_.size() == kMostThreads || !budget_.Allows(MonotonicNanos())) {
      over_budget_.fetch_add(1, kRelaxed);
      refused.insert(look.runner);
      continue;
    }
    questions_.push_back({look.runner, look.runner_serial, look.word});
    asker_->Send(questions_.back());
  }
}

void HolderLooks::Collect() {
  asker_->Collect(questions_);
  const Nanos now_ns = MonotonicNanos();
  for (StackAsker::Question& question : questions_) {
    if (question.is_open && now_ns - question.sent_ns > kLongest) asker_->GiveUp(question);
    if (!question.answer) continue;
    budget_.Spend(now_ns, question.answer->walk_cpu_ns + kDelivery);
    if (answers_.size() > kMostRemembered) answers_.clear();
    answers_[question.thread->index] = {*question.answer, 0};
    // At the start of a JVM, a stack can lack frames. A later stack of the same wait will have
    // them.
    if (question.answer->lacks_tables) continue;
    Take(*question.thread, question.word, *question.answer);
  }
  std::erase_if(questions_, [](const auto& question) { return !question.is_open; });
}

// Returns the last answer of the thread, if the thread has not run since, so that its stack is
// still the same (idle_rule.h).
bool HolderLooks::Reuse(const ThreadSlot& thread, uint32_t serial, StackAnswer* answer) {
  const auto found = answers_.find(thread.index);
  if (found == answers_.end()) return false;
  LastAnswer& last = found->second;
  if (last.answer.serial != serial || last.answer.lacks_tables ||
      !live_.IsKept(last.answer.stack.trace)) {
    return false;
  }
  const Tid tid = thread.tid.load(std::memory_order_acquire);
  const Nanos cpu_ns = TaskCpuNanos(tid);
  if (last.settled_cpu_ns == 0 && cpu_ns != 0 && IsJustAfter(last.answer.cpu_ns, cpu_ns) &&
      WaitsAt(TaskSyscall(tid), last.answer.sp) && TaskCpuNanos(tid) == cpu_ns) {
    last.settled_cpu_ns = cpu_ns;
  }
  *answer = last.answer;
  return cpu_ns != 0 && cpu_ns == last.settled_cpu_ns;
}

void HolderLooks::Take(const ThreadSlot& thread, const HeldWord& word, const StackAnswer& answer) {
  live_.Keep(answer.stack.trace);
  const int64_t mounted = answer.stack.virtual_thread;
  for (Look& look : looks_) {
    if (look.runner != &thread || look.runner_serial != answer.serial) continue;
    if (look.holder.is_virtual() && look.holder.virtual_id() != mounted) continue;
    if (!look.is_park && word.address != 0 && word.address != look.word.address) continue;
    if (!look.is_park && word.address != 0 && !answer.holds) {
      retries_.erase(look.place);
      changed_.fetch_add(1, kRelaxed);
      continue;
    }
    look.trace = answer.stack.trace;
    look.is_certain = answer.holds;
    // Before JDK 24, the owner of a monitor is the carrier even if a virtual thread holds it.
    if (!look.is_park && mounted != 0) look.holder = SampledThread::Virtual(mounted);
  }
}

void HolderLooks::Store(JNIEnv* jni) {
  {
    const VmScope scope;
    for (const Look& look : looks_) {
      if (look.trace == kNoCallTrace || look.is_park || scope.vm() == nullptr) continue;
      StoreInMonitor(*scope.vm(), look);
    }
  }
  for (const Look& look : looks_) {
    if (look.trace == kNoCallTrace || !look.is_park) continue;
    const bool is_stored = parks_->StoreHolder(jni, look.park, look.trace);
    (is_stored ? held_waits_ : changed_).fetch_add(1, kRelaxed);
  }
  std::erase_if(looks_, [this](const Look& look) {
    const bool is_over = look.trace != kNoCallTrace || QuestionTo(look) == nullptr;
    if (is_over) looked_at_.erase(KeyOf(look));
    return is_over;
  });
}

void HolderLooks::StoreInMonitor(const HotspotLayout& vm, const Look& look) {
  HeldWord word;
  const SampledThread owner =
      look.is_certain ? look.holder
                      : OwnerOfMonitor(vm, look.wait.monitor, look.wait.owner, *ids_, &word);
  const bool is_same = owner == look.holder || (!owner.is_virtual() && look.holder.is_virtual() &&
                                                owner == SampledOf(*look.runner));
  if (!is_same || !monitors_.GoesOn(look.place, look.wait)) {
    retries_.erase(look.place);  // the wait is due again at once, with its new holder
    changed_.fetch_add(1, kRelaxed);
    return;
  }
  monitors_.SetHolder(look.place, look.wait, {look.holder, look.trace});
  held_waits_.fetch_add(1, kRelaxed);
}

// Keeps the stacks of waits that go on for another epoch.
void HolderLooks::KeepStored(JNIEnv* jni) {
  stored_.clear();
  parks_->FindStored(jni, stored_);
  monitors_.VisitHolders([this](CallTraceId trace) { stored_.push_back(trace); });
  const auto lock = live_.Lock();
  kept_at_ = live_.rotations();
  for (const CallTraceId trace : stored_) {
    if (live_.IsKept(trace)) live_.Keep(trace);
  }
}

std::vector<std::string> HolderLooks::Totals() const {
  if (asker_ == nullptr) return {};
  std::vector<std::string> lines;
  const uint64_t answered = asker_->answered();
  std::string line = "stacks of threads that held locks: for " +
                     std::to_string(held_waits_.load(kRelaxed)) + " waits";
  if (answered != 0) {
    line += ", taken " + std::to_string(answered) + " times by " + SignalName(asker_->signal()) +
            ", each in " +
            RoundedDurationText(static_cast<double>(asker_->total_ns()) /
                                static_cast<double>(answered)) +
            " on average and " + RoundedDurationText(static_cast<double>(asker_->longest_ns())) +
            " at most";
  }
  if (const uint64_t reused = reused_.load(kRelaxed); reused != 0) {
    line += ", " + std::to_string(reused) + " times of threads that had not run since";
  }
  lines.push_back(std::move(line));
  std::string none;
  const auto add = [&none](uint64_t count, std::string_view reason) {
    if (count == 0) return;
    none += (none.empty() ? "" : ", ") + std::to_string(count) + " times ";
    none += reason;
  };
  for (size_t i = 0; i < kNoAnswerCount; ++i) {
    const auto reason = static_cast<NoAnswer>(i);
    add(asker_->Unanswered(reason), TextOf(reason));
  }
  add(changed_.load(kRelaxed), "the lock had another holder after the stack was taken");
  add(unmounted_.load(kRelaxed), "the holder was a virtual thread without a carrier");
  add(over_budget_.load(kRelaxed), "too many stacks were wanted");
  if (!none.empty()) {
    lines.push_back("no stack of the thread that held a lock, within " +
                    DurationText(StackAsker::kPatience) + ": " + none);
  }
  return lines;
}

}  // namespace jprof
