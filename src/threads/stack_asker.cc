#include "threads/stack_asker.h"

#include <algorithm>
#include <csignal>
#include <ctime>
#include <string>

#include "base/engine_signals.h"
#include "os/task_list.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/signal_handlers.h"
#include "threads/thread_signal.h"

namespace jprof {
namespace {

// The time between two looks at the requests. An answer takes some ten microseconds.
constexpr timespec kPause{0, 50'000};

Tid TidOf(const ThreadSlot& thread) { return thread.tid.load(std::memory_order_acquire); }

bool IsAlive(const StackAsker::Question& question) {
  return Value(TidOf(*question.thread)) != 0 &&
         question.thread->serial.load(std::memory_order_relaxed) == question.serial;
}

// Returns the state of a thread in its file `stat` (proc(5)), such as 'R'; 0 if the thread has
// exited.
char TaskState(Tid tid) {
  const std::string stat = TaskStat(tid);
  const size_t name_end = stat.rfind(") ");
  return name_end == std::string::npos || name_end + 2 >= stat.size() ? '\0' : stat[name_end + 2];
}

}  // namespace

std::string_view TextOf(NoAnswer reason) {
  switch (reason) {
    case NoAnswer::kEnded:
      return "the thread has ended";
    case NoAnswer::kBlocked:
      return "the thread blocks the signal";
    case NoAnswer::kStopped:
      return "the thread is stopped";
    case NoAnswer::kUninterruptible:
      return "the thread waits in the kernel without being interruptible";
    case NoAnswer::kNoProcessor:
      return "the thread got no processor in time";
    case NoAnswer::kPending:
      return "the thread has not answered an earlier request";
    case NoAnswer::kNotSent:
      return "the signal could not be sent";
    case NoAnswer::kNotStored:
      break;
  }
  return "the stack could not be stored";
}

// SIGPROF is left to the cpu engine, and so is SIGSTKFLT if SIGPROF is not free, because that
// engine starts after this object.
Result<std::unique_ptr<StackAsker>> StackAsker::Start(int avoid) {
  const bool cpu_has_its_own = static_cast<bool>(SignalAction::CheckIsFree(SIGPROF, CpuHandler));
  for (auto row = kCpuSignals.rbegin(); row != kCpuSignals.rend(); ++row) {
    if (row->number == avoid || row->number == SIGPROF) continue;
    if (row->number == SIGSTKFLT && !cpu_has_its_own) continue;
    Result<SignalAction> action = SignalAction::Install(row->number, StackHandler, kEngineSignals);
    if (!action) continue;
    return std::unique_ptr<StackAsker>(new StackAsker(row->number, std::move(action).value()));
  }
  return Error("no signal is free to ask threads for their stacks");
}

void StackAsker::Send(Question& question) {
  StackRequests::OfProcess().FreeEnded([](Tid tid) { return !TaskExists(tid); });
  question.sent_ns = MonotonicNanos();
  const std::optional<NoAnswer> refused = TrySend(question);
  if (refused) {
    SetNone(question, *refused);
  } else {
    question.is_open = true;
  }
}

void StackAsker::Collect(std::span<Question> questions) {
  const Nanos end_ns = MonotonicNanos() + kPatience;
  for (;;) {
    const Nanos now_ns = MonotonicNanos();
    bool is_awaited = false;
    for (Question& question : questions) {
      if (!question.is_open) continue;
      const std::optional<StackAnswer> answer = StackRequests::OfProcess().Poll(question.ticket);
      if (answer) Set(question, *answer);
      is_awaited |= question.is_open && now_ns - question.sent_ns < kPatience;
    }
    if (!is_awaited || now_ns >= end_ns) return;
    nanosleep(&kPause, nullptr);
  }
}

void StackAsker::GiveUp(Question& question) {
  JPROF_CHECK(question.is_open);
  const std::optional<StackAnswer> answer = StackRequests::OfProcess().Expire(question.ticket);
  if (answer) {
    Set(question, *answer);
  } else {
    SetNone(question, ReasonOf(question));
  }
}

// Returns the reason for which no signal was sent; nullopt if it was sent.
std::optional<NoAnswer> StackAsker::TrySend(Question& question) const {
  StackRequests& requests = StackRequests::OfProcess();
  const Tid tid = TidOf(*question.thread);
  if (!IsAlive(question)) return NoAnswer::kEnded;
  if (requests.Owes(tid)) return NoAnswer::kPending;
  const std::optional<StackRequests::Ticket> ticket = requests.Open(tid, question.word);
  if (!ticket) return NoAnswer::kNotSent;
  question.ticket = *ticket;
  if (SignalThread(tid, signal_, question.thread->index)) return std::nullopt;
  static_cast<void>(requests.Cancel(*ticket));
  if (TaskExists(tid)) return NoAnswer::kNotSent;
  return NoAnswer::kEnded;
}

NoAnswer StackAsker::ReasonOf(const Question& question) const {
  const Tid tid = TidOf(*question.thread);
  if (!IsAlive(question)) return NoAnswer::kEnded;
  switch (TaskState(tid)) {
    case '\0':
    case 'Z':
    case 'X':
      return NoAnswer::kEnded;
    case 'T':
    case 't':
      return NoAnswer::kStopped;
    case 'D':
      return NoAnswer::kUninterruptible;
    default:
      break;
  }
  return BlocksSignal(*question.thread, signal_) ? NoAnswer::kBlocked : NoAnswer::kNoProcessor;
}

void StackAsker::Set(Question& question, const StackAnswer& answer) {
  if (answer.serial != question.serial) {
    SetNone(question, NoAnswer::kEnded);
    return;
  }
  total_ns_.fetch_add(answer.spent_ns, std::memory_order_relaxed);
  longest_ns_.store(std::max(answer.spent_ns, longest_ns()), std::memory_order_relaxed);
  if (answer.stack.outcome != StackOutcome::kStored) {
    SetNone(question, NoAnswer::kNotStored);
    return;
  }
  answered_.fetch_add(1, std::memory_order_relaxed);
  question.is_open = false;
  question.answer = answer;
}

void StackAsker::SetNone(Question& question, NoAnswer why) {
  question.is_open = false;
  question.why = why;
  unanswered_[static_cast<size_t>(why)].fetch_add(1, std::memory_order_relaxed);
}

}  // namespace jprof
