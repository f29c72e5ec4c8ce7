#include "sigsafe/asgst/thread_requests.h"

#include "sigsafe/base/errno_saver.h"
#include "sigsafe/os/forked_child.h"
#include "sigsafe/os/thread_id.h"

namespace jprof::asgst {
namespace {

constinit ThreadRequests g_thread_requests;

}  // namespace

ThreadRequests& ThreadRequests::OfProcess() { return g_thread_requests; }

std::optional<ThreadRequests::Ticket> ThreadRequests::Open(Tid tid, int32_t options) {
  for (size_t i = 0; i < kCells; ++i) {
    Cell& cell = cells_[i];
    uint64_t word = cell.state.load(std::memory_order_relaxed);
    if (StateOf(word) != kFree) continue;
    // kWalking keeps other requesters and all handlers away while the cell is written.
    const uint64_t next = (GenerationOf(word) + 1) << kStateBits;
    if (!cell.state.compare_exchange_strong(word, With(next, kWalking), std::memory_order_acquire,
                                            std::memory_order_relaxed)) {
      continue;
    }
    cell.tid.store(tid, std::memory_order_relaxed);
    cell.options = options;
    cell.state.store(With(next, kAsked), std::memory_order_release);
    return Ticket{i, GenerationOf(next)};
  }
  return std::nullopt;
}

std::optional<ThreadRequests::Answer> ThreadRequests::Poll(const Ticket& ticket) const {
  const Cell& cell = cells_[ticket.cell];
  const uint64_t word = cell.state.load(std::memory_order_acquire);
  if (GenerationOf(word) != ticket.generation || StateOf(word) != kAnswered) return std::nullopt;
  return Answer{frames_ + ticket.cell * kMaxFrames, cell.count, cell.kind, cell.last};
}

void ThreadRequests::Close(const Ticket& ticket, bool was_sent) {
  Cell& cell = cells_[ticket.cell];
  uint64_t word = cell.state.load(std::memory_order_relaxed);
  while (GenerationOf(word) == ticket.generation) {
    State next = kFree;
    if (StateOf(word) == kWalking) next = kAbandoned;
    if (StateOf(word) == kAsked && was_sent) next = kExpired;
    // release: the answer has been read before another handler can write to the cell.
    if (cell.state.compare_exchange_weak(word, With(word, next), std::memory_order_release,
                                         std::memory_order_relaxed)) {
      return;
    }
  }
}

bool ThreadRequests::Owes(Tid tid) const {
  for (const Cell& cell : cells_) {
    if (StateOf(cell.state.load(std::memory_order_acquire)) == kExpired &&
        cell.tid.load(std::memory_order_relaxed) == tid) {
      return true;
    }
  }
  return false;
}

void ThreadRequests::Respond(uint64_t cookie, const ucontext_t* ucontext) {
  const Ticket ticket{cookie & 0xff, cookie >> 8};
  if (ticket.cell >= kCells) return;
  Cell& cell = cells_[ticket.cell];
  uint64_t word = cell.state.load(std::memory_order_acquire);
  // A second attempt is necessary only if the request has just been closed.
  for (int attempt = 0; attempt < 2; ++attempt) {
    const State state = StateOf(word);
    if (GenerationOf(word) != ticket.generation || (state != kAsked && state != kExpired) ||
        cell.tid.load(std::memory_order_relaxed) != CurrentTid()) {
      return;
    }
    if (!cell.state.compare_exchange_strong(word, With(word, state == kAsked ? kWalking : kFree),
                                            std::memory_order_acquire)) {
      continue;
    }
    if (state == kExpired) return;
    Walk(cell, frames_ + ticket.cell * kMaxFrames, ucontext);
    word = With(word, kWalking);
    // The only other change from here on is that the requester abandons the request, once.
    if (!cell.state.compare_exchange_strong(word, With(word, kAnswered), std::memory_order_release,
                                            std::memory_order_relaxed)) {
      cell.state.store(With(word, kFree), std::memory_order_release);
    }
    return;
  }
}

void ThreadRequests::Walk(Cell& cell, WalkedFrame* frames, const ucontext_t* ucontext) {
  cell.count = 0;
  cell.last = kAtEnd;
  const WalkSession session;
  cell.kind = session.result();
  if (session.result() != kMore) return;
  StackIterator& iterator = session.iterator();
  cell.kind =
      iterator.BeginAtSignal(session.state(), session.environment(), ucontext, cell.options);
  if (cell.kind <= 0) return;
  while (cell.count < kMaxFrames) {
    cell.last = iterator.Next(&frames[cell.count]);
    // With kEndAtFirstJava, the last frame comes with kAtEnd.
    if (cell.last != kMore) return;
    ++cell.count;
  }
  cell.last = kBrokenStack;
}

void ThreadRequestHandler(int, siginfo_t* info, void* ucontext) {
  const ErrnoSaver errno_saver;
  if (info->si_code != SI_QUEUE || InForkedChild()) return;
  ThreadRequests::OfProcess().Respond(reinterpret_cast<uint64_t>(info->si_value.sival_ptr),
                                      static_cast<const ucontext_t*>(ucontext));
}

}  // namespace jprof::asgst
