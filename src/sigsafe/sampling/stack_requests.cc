#include "sigsafe/sampling/stack_requests.h"

#include <ucontext.h>

#include <algorithm>
#include <bit>

#include "sigsafe/native/native_registers.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/guarded_load.h"
#include "sigsafe/os/thread_id.h"
#include "sigsafe/sampling/sample_source.h"
#include "sigsafe/sampling/sample_taker.h"

namespace jprof {
namespace {

constinit StackRequests g_requests;

// The thread that is asked, in its handler: an InterruptedThread whose CPU clock is read after the
// walk, and before the guard.
class StoppedThread {
 public:
  StoppedThread(void* ucontext, StackAnswer* answer, bool* may_read)
      : walked_(ucontext), answer_(answer), may_read_(may_read) {}

  static constexpr bool kNeedsBuffer = true;
  SampledWalk Walk(const WalkEnvironment& environment, ThreadSlot& taker, const Subject& subject,
                   const WalkBuffer& buffer) const {
    const SampledWalk walk = walked_.Walk(environment, taker, subject, buffer);
    answer_->lacks_tables = walk.stack.lacks_tables;
    *may_read_ = walk.may_read && environment.faults == LoadFaults::kCaught;
    answer_->cpu_ns = ThreadCpuNanos();
    return walk;
  }

 private:
  const InterruptedThread walked_;
  StackAnswer* const answer_;
  bool* const may_read_;  // set by Walk: guarded loads may be used while the WalkScope lives
};

bool Holds(const HeldWord& word) {
  uint64_t value = 0;
  return word.address != 0 && GuardedLoad(word.address, &value) && value == word.value;
}

}  // namespace

StackRequests& StackRequests::OfProcess() { return g_requests; }

std::optional<StackRequests::Ticket> StackRequests::Open(Tid tid, const HeldWord& held) {
  for (uint32_t i = 0; i < kCells; ++i) {
    Cell& cell = cells_[i];
    uint64_t word = cell.state.load(std::memory_order_relaxed);
    if (StateOf(word) != kFree) continue;
    // kAnswering keeps other requesters and all handlers away while `tid` is written. Handlers
    // that have loaded kAsked of an earlier generation fail to change the word.
    const uint64_t next = (GenerationOf(word) + 1) << kStateBits;
    if (!cell.state.compare_exchange_strong(word, With(next, kAnswering), std::memory_order_acquire,
                                            std::memory_order_relaxed)) {
      continue;
    }
    cell.tid.store(tid, std::memory_order_relaxed);
    cell.word = held;
    cell.state.store(With(next, kAsked), std::memory_order_release);
    return Ticket{i, GenerationOf(next)};
  }
  return std::nullopt;
}

std::optional<StackAnswer> StackRequests::Poll(Ticket ticket) {
  Cell& cell = cells_[ticket.cell];
  const uint64_t word = cell.state.load(std::memory_order_acquire);
  if (GenerationOf(word) != ticket.generation || StateOf(word) != kAnswered) return std::nullopt;
  const StackAnswer answer = cell.answer;
  // release: the answer has been read before another handler can write to the cell.
  cell.state.store(With(word, kFree), std::memory_order_release);
  return answer;
}

std::optional<StackAnswer> StackRequests::End(Ticket ticket, State unclaimed) {
  Cell& cell = cells_[ticket.cell];
  uint64_t word = cell.state.load(std::memory_order_relaxed);
  while (GenerationOf(word) == ticket.generation) {
    const State state = StateOf(word);
    if (state == kAnswered) return Poll(ticket);
    const State next = state == kAsked ? unclaimed : kAbandoned;
    if (cell.state.compare_exchange_weak(word, With(word, next), std::memory_order_relaxed)) {
      break;
    }
  }
  return std::nullopt;
}

bool StackRequests::Owes(Tid tid) const {
  for (const Cell& cell : cells_) {
    if (StateOf(cell.state.load(std::memory_order_acquire)) == kExpired &&
        cell.tid.load(std::memory_order_relaxed) == tid) {
      return true;
    }
  }
  return false;
}

uint64_t StackRequests::Claim(Tid tid) {
  static_assert(kCells <= 64);
  uint64_t claimed = 0;
  for (uint32_t i = 0; i < kCells; ++i) {
    Cell& cell = cells_[i];
    uint64_t word = cell.state.load(std::memory_order_acquire);
    // A second attempt is necessary only if the request has just expired.
    for (int attempt = 0; attempt < 2; ++attempt) {
      const State state = StateOf(word);
      if ((state != kAsked && state != kExpired) ||
          cell.tid.load(std::memory_order_relaxed) != tid) {
        break;
      }
      if (!cell.state.compare_exchange_strong(
              word, With(word, state == kAsked ? kAnswering : kFree), std::memory_order_acquire)) {
        continue;
      }
      if (state == kAsked) claimed |= uint64_t{1} << i;
      break;
    }
  }
  return claimed;
}

void StackRequests::Answer(uint64_t claimed, const StackAnswer& answer, bool may_read) {
  for (; claimed != 0; claimed &= claimed - 1) {
    Cell& cell = cells_[static_cast<size_t>(std::countr_zero(claimed))];
    cell.answer = answer;
    cell.answer.holds = may_read && Holds(cell.word);
    uint64_t word = cell.state.load(std::memory_order_relaxed);
    // The only other change from here on is that the requester abandons the request, once.
    if (StateOf(word) == kAnswering &&
        cell.state.compare_exchange_strong(word, With(word, kAnswered), std::memory_order_release,
                                           std::memory_order_relaxed)) {
      continue;
    }
    cell.state.store(With(word, kFree), std::memory_order_release);
  }
}

void AnswerStackRequests(uint32_t slot_index, void* ucontext) {
  StackRequests& requests = StackRequests::OfProcess();
  const uint64_t claimed = requests.Claim(CurrentTid());
  if (claimed == 0) return;
  ThreadSlot* const thread = sample_taker::SlotOf(slot_index);
  if (thread == nullptr) {
    requests.Answer(claimed, {});
    return;
  }
  const Nanos begin_ns = MonotonicNanos();
  const Nanos begin_cpu_ns = ThreadCpuNanos();
  bool may_read = false;
  StackAnswer answer;
  answer.serial = thread->serial.load(std::memory_order_relaxed);
  answer.sp = NativeRegistersOf(static_cast<const ucontext_t*>(ucontext)).sp;
  TakeStack(*thread, StoppedThread(ucontext, &answer, &may_read), 0, [&](const TakenStack& taken) {
    answer.stack = taken;
    answer.walk_cpu_ns = std::max<Nanos>(answer.cpu_ns - begin_cpu_ns, 0);
    answer.spent_ns = MonotonicNanos() - begin_ns;
    requests.Answer(claimed, answer, may_read);
  });
}

}  // namespace jprof
