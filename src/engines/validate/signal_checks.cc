#include "engines/validate/signal_checks.h"

#include <sys/prctl.h>

#include <algorithm>
#include <utility>

#include "base/engine_signals.h"
#include "os/cpu_clock.h"
#include "os/task_list.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/raw_syscall.h"
#include "threads/thread_signal.h"

namespace jprof {
namespace {

// The time between two looks for an answer. A thread that sleeps gets a processor sooner than one
// that yields.
constexpr Nanos kPause = 10'000;
// The time by which the kernel may delay the end of a sleep, instead of the usual 50 us.
constexpr unsigned long kTimerSlackNs = 1'000;
// The time that a thread has for its answer.
constexpr Nanos kAnswerTime = kNanosPerSecond / 100;
// The time between two looks at which threads run, while none does.
constexpr Nanos kIdle = 2'000'000;

size_t CountProbed(std::span<const JudgedFrame> walked) {
  return static_cast<size_t>(
      std::ranges::count_if(walked, [](const JudgedFrame& frame) { return frame.number != 0; }));
}

Verdict VerdictOf(ComparisonOutcome outcome) {
  switch (outcome) {
    case ComparisonOutcome::kThreadUnknown:
      return Verdict::kThreadUnknown;
    case ComparisonOutcome::kTooDeep:
      return Verdict::kTooDeep;
    case ComparisonOutcome::kTaken:
    case ComparisonOutcome::kNotAttached:
    case ComparisonOutcome::kNoWalkBuffer:
    case ComparisonOutcome::kNotReadable:
      break;
  }
  return Verdict::kNotWalked;
}

// True if has_id(number) holds for all methods of the true stack.
template <typename HasId>
bool AllHaveIds(const std::vector<TrueEntry>& truth, const HasId& has_id) {
  return std::ranges::all_of(truth, [&](const TrueEntry& entry) { return has_id(entry.number); });
}

}  // namespace

Result<std::unique_ptr<SignalChecks>> SignalChecks::Start(ThreadRegistry& registry, JavaVM* vm,
                                                          std::shared_ptr<Validation> validation,
                                                          Nanos interval_ns, int avoid) {
  for (auto row = kCpuSignals.rbegin(); row != kCpuSignals.rend(); ++row) {
    if (row->number == avoid || row->number == SIGPROF) continue;
    Result<SignalAction> action =
        SignalAction::Install(row->number, ComparisonHandler, kEngineSignals);
    if (!action) continue;
    AnswerComparisons(&validation->memory().comparison);
    std::unique_ptr<SignalChecks> checks(new SignalChecks(
        registry, vm, std::move(validation), interval_ns, row->number, std::move(action).value()));
    SignalChecks* const started = checks.get();
    Result<StoppableThread> thread = StoppableThread::Start(
        "jprof-validate", [started](const StopEvent& stop) { started->Run(stop); });
    if (!thread) return thread.error();
    checks->thread_ = std::move(thread).value();
    registry.Ignore(checks->thread_.tid());
    return checks;
  }
  return Error("no signal is free to ask threads for their stacks");
}

void SignalChecks::Stop() {
  thread_.Stop();
  action_.Uninstall();
}

void SignalChecks::Run(const StopEvent& stop) {
  prctl(PR_SET_TIMERSLACK, kTimerSlackNs);
  LateStacks late(vm_, validation_->jvmti());
  Nanos next_ns = MonotonicNanos();
  while (!stop.WaitUntil(next_ns)) {
    const Nanos begin_ns = MonotonicNanos();
    const std::vector<Candidate> running = RunningThreads();
    for (const Candidate& candidate : running) Ask(candidate, late);
    JudgeHeld(false);
    next_ns = begin_ns + (running.empty() ? std::max(kIdle, interval_ns_) : interval_ns_);
  }
  JudgeHeld(true);
}

std::vector<SignalChecks::Candidate> SignalChecks::RunningThreads() {
  std::vector<Candidate> attached;
  registry_.ForEach([&](ThreadSlot& slot) {
    if (slot.jni_env.load(std::memory_order_relaxed) == nullptr) return;
    attached.push_back({slot.tid.load(std::memory_order_relaxed), slot.index,
                        slot.java_id.load(std::memory_order_relaxed)});
  });
  std::map<Tid, Nanos> cpu_ns;
  std::vector<Candidate> running;
  for (const Candidate& candidate : attached) {
    const Nanos now_ns = TaskCpuNanos(candidate.tid);
    cpu_ns[candidate.tid] = now_ns;
    const auto before = cpu_ns_.find(candidate.tid);
    if (before != cpu_ns_.end() && before->second != now_ns) running.push_back(candidate);
  }
  cpu_ns_ = std::move(cpu_ns);
  return running;
}

void SignalChecks::Ask(const Candidate& candidate, LateStacks& late) {
  StackComparison& comparison = validation_->memory().comparison;
  comparison.Open(candidate.tid, validation_->asgct());
  if (!SignalThread(candidate.tid, signal_, candidate.slot_index)) {
    static_cast<void>(comparison.Withdraw());
    return;
  }
  std::optional<std::vector<jvmtiFrameInfo>> frames;
  if (++asked_ % kLateShare == 0) frames = late.Of(candidate.java_id);
  const ComparedStacks* const answer = Await(candidate.tid);
  if (answer == nullptr) return CountNotJudged(Verdict::kNoAnswer);
  JudgeAnswer(*answer);
  // JVMTI reports the frames of the carrier, not those of its virtual thread.
  if (frames && answer->thread == candidate.java_id) CompareLate(*answer, *frames);
  // The handler of this signal has counted as CPU time of the thread.
  cpu_ns_[candidate.tid] = TaskCpuNanos(candidate.tid);
}

void SignalChecks::CompareLate(const ComparedStacks& answer,
                               const std::vector<jvmtiFrameInfo>& frames) {
  bool declares = false;
  const std::vector<JudgedFrame> walked =
      validation_->JudgedOf(answer.frames, answer.frame_count, &declares);
  if (answer.outcome != ComparisonOutcome::kTaken || declares) return;
  std::vector<TrueEntry> late;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    const uint32_t number = validation_->methods.NumberOf(frame->method);
    if (number != 0) late.push_back({number, -1});
  }
  validation_->sums.Add(
      {Layer::kLate, JudgedWalker::kOurs, Tier::kNone, Judge(walked, late).verdict});
}

const ComparedStacks* SignalChecks::Await(Tid tid) {
  StackComparison& comparison = validation_->memory().comparison;
  const Nanos end_ns = MonotonicNanos() + kAnswerTime;
  bool may_withdraw = true;
  for (;;) {
    if (const ComparedStacks* const answer = comparison.Poll()) return answer;
    if (may_withdraw && MonotonicNanos() > end_ns) {
      if (comparison.Withdraw()) return nullptr;
      may_withdraw = false;  // the handler is answering
    }
    if (!may_withdraw && !TaskExists(tid)) return nullptr;
    RawSleep(kPause);
  }
}

void SignalChecks::CountNotJudged(Verdict verdict) {
  validation_->sums.Add({Layer::kSignal, JudgedWalker::kOurs, Tier::kNone, verdict});
}

void SignalChecks::JudgeAnswer(const ComparedStacks& answer) {
  if (answer.outcome != ComparisonOutcome::kTaken) {
    return CountNotJudged(VerdictOf(answer.outcome));
  }
  if (answer.is_doubtful) return CountNotJudged(Verdict::kResynchronised);
  const std::span frames(answer.frames, answer.frame_count);
  // Behind the entry of a virtual thread, frames of the carrier are an error.
  const auto enters = std::ranges::find_if(frames, [&](const Frame& frame) {
    return IsJava(frame) && validation_->methods.MountRoleOf(frame.id) == MountRole::kEnters;
  });
  const bool is_mount = std::any_of(frames.begin(), enters, [&](const Frame& frame) {
    return IsJava(frame) && validation_->methods.MountRoleOf(frame.id) == MountRole::kRuns;
  });
  if (is_mount || (answer.is_between && enters == frames.end())) {
    return CountNotJudged(Verdict::kMounting);
  }
  if (answer.is_truncated) return CountNotJudged(Verdict::kTooDeep);
  const std::vector<TrueEntry> truth = validation_->TruthOf(answer.shadow, answer.shadow_count);
  JudgeOurs(answer, truth);
  if (validation_->asgct() == nullptr) return;
  // AsyncGetCallTrace goes on to the frames of the carrier.
  std::vector<TrueEntry> with_carrier = validation_->TruthOf(answer.carrier, answer.carrier_count);
  with_carrier.insert(with_carrier.end(), truth.begin(), truth.end());
  JudgeAsgct(answer, with_carrier);
}

void SignalChecks::JudgeOurs(const ComparedStacks& answer, const std::vector<TrueEntry>& truth) {
  const ExamplePlace place{answer.interrupted_pc, answer.java_pc, answer.code};
  ComparisonKey key{Layer::kSignal, JudgedWalker::kOurs, TierOf(answer.frames, answer.frame_count),
                    Verdict::kEqual};
  bool declares = false;
  std::vector<JudgedFrame> walked =
      validation_->JudgedOf(answer.frames, answer.frame_count, &declares);
  const size_t probed = CountProbed(walked);
  validation_->sums.AddFrames(walked.size(), walked.size() - probed);
  if (truth.empty() && probed == 0) {
    key.verdict = Verdict::kOutside;
  } else if (declares) {
    key.verdict = Verdict::kDeclared;
  } else if (truth.empty() && validation_->unplaced.load(std::memory_order_relaxed) != 0) {
    key.verdict = Verdict::kNoShadow;
  } else if (!AllHaveIds(truth,
                         [this](uint32_t number) { return validation_->methods.HasId(number); })) {
    key.verdict = Verdict::kIdUnknown;
  } else {
    const Judgement judgement = Judge(walked, truth);
    key.verdict = judgement.verdict;
    JudgedStack stack{key, std::move(walked), truth, place};
    const bool is_compiled = !stack.walked.empty() && stack.walked.front().is_compiled;
    if (judgement.is_confined && answer.java_pc != 0) {
      held_.AddConfined(std::move(stack), MonotonicNanos());
    } else if (key.verdict != Verdict::kEqual || !is_compiled ||
               !held_.AddIfIndexesDiffer(stack, MonotonicNanos())) {
      validation_->Count(key, stack.walked, truth, &place);
    }
    return;
  }
  validation_->Count(key, walked, truth, &place);
}

void SignalChecks::JudgeAsgct(const ComparedStacks& answer, const std::vector<TrueEntry>& truth) {
  ComparisonKey key{Layer::kSignal, JudgedWalker::kAsgct, TierOf(answer.frames, answer.frame_count),
                    Verdict::kDeclared};
  const std::vector<JudgedFrame> walked = validation_->JudgedOf(answer.asgct, answer.asgct_count);
  if (!answer.calls_asgct) {
    key.verdict = Verdict::kNotCalled;
  } else if (truth.empty() && CountProbed(walked) == 0) {
    key.verdict = Verdict::kOutside;
  } else if (answer.asgct_count > ComparedStacks::kMost) {
    key.verdict = Verdict::kTooDeep;
  } else if (!AllHaveIds(truth, [this](uint32_t number) {
               return validation_->methods.HasJmethodId(number);
             })) {
    key.verdict = Verdict::kIdUnknown;
  } else if (answer.asgct_count != 0) {
    std::vector<JudgedFrame> marked = walked;
    MarkTop(answer.java_pc, &marked);
    const Judgement judgement = Judge(marked, truth);
    key.verdict = judgement.is_confined ? Verdict::kMoved : judgement.verdict;
  }
  const ExamplePlace place{answer.interrupted_pc, answer.java_pc, answer.code};
  validation_->Count(key, walked, truth, &place);
}

// AsyncGetCallTrace does not say which frames are inlined: the debug information does.
void SignalChecks::MarkTop(uint64_t pc, std::vector<JudgedFrame>* walked) const {
  const auto decoded = pc == 0 ? std::nullopt : validation_->code.Decode(pc);
  if (!decoded || decoded->frames.empty() || walked->size() < decoded->frames.size()) return;
  std::vector<JudgedFrame> marked = *walked;
  for (size_t i = 0; i < decoded->frames.size(); ++i) {
    marked[i].is_compiled = true;
    marked[i].is_inlined = i + 1 < decoded->frames.size();
  }
  if (IsAsDecoded(validation_->methods, *decoded, marked)) *walked = std::move(marked);
}

void SignalChecks::JudgeHeld(bool is_last) {
  held_.JudgeAll(MonotonicNanos(), is_last, [this](const JudgedStack& stack) {
    validation_->Count(stack.key, stack.walked, stack.truth, &stack.place);
  });
}

}  // namespace jprof
