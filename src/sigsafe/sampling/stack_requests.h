// StackRequests: requests of one thread, the requester, for the stacks of other threads.
//
//   requester                                        asked thread, in the handler of the signal
//   Open ─▶ kAsked, then it sends a signal ─────────▶ Claim ─▶ kAnswering: walks its own stack
//   Poll ◀──────────────────────── kAnswered ◀────── Answer
//   Expire, after its patience ─▶ kExpired ─────────▶ a late handler frees the cell
//
// A request is a cell of a pool. The state of a cell is one word with a generation, which each Open
// increments. So a handler that is late never answers another request, and a requester never takes
// the answer to another request. The memory of the cells is never freed.
//
// The asked thread walks itself and waits for nothing. The requester never reads the stack of
// another thread, which could run on meanwhile.
//
// If several requests ask the same thread, one walk answers all of them.
//
// The functions are async-signal-safe, thread-safe and lock-free. There is one object per process.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "sigsafe/base/types.h"
#include "sigsafe/sampling/stack_taker.h"

namespace jprof {

// A word in the VM's memory by which the asked thread shows that it holds a lock: the thread holds
// the lock while the word has the value.
struct HeldWord {
  uint64_t address = 0;  // 0 for none
  uint64_t value = 0;
};

// The answer to a request.
struct StackAnswer {
  TakenStack stack;
  uint32_t serial = 0;    // ThreadSlot::serial of the thread that has answered; 0 without a slot
  uint64_t sp = 0;        // stack pointer of the interrupted code
  Nanos cpu_ns = 0;       // CPU time of the thread after the walk
  Nanos walk_cpu_ns = 0;  // CPU time of the handler until then
  Nanos spent_ns = 0;     // elapsed time of the handler, which the thread has lost
  bool lacks_tables = false;  // Stack::lacks_tables
  // True if the HeldWord of the request had its value while the thread was in its handler, so that
  // the thread could not change it.
  bool holds = false;
};

class StackRequests {
 public:
  static constexpr size_t kCells = 64;

  // Names a request. A value is never used for two requests in the life of the process.
  struct Ticket {
    uint32_t cell = 0;
    uint64_t generation = 0;
  };

  static StackRequests& OfProcess();

  // --- for requesters

  // Opens a request for the stack of the thread `tid`. Returns nullopt if every cell is taken. The
  // caller then sends a signal to the thread.
  std::optional<Ticket> Open(Tid tid, const HeldWord& word = {});

  // If the request has been answered, returns the answer and frees the cell. Else returns nullopt.
  std::optional<StackAnswer> Poll(Ticket ticket);

  // Ends the request. If it has been answered meanwhile, returns the answer and frees the cell.
  // Else returns nullopt, and the cell stays taken until the thread's handler has run, or until
  // FreeEnded finds that the thread has ended.
  std::optional<StackAnswer> Expire(Ticket ticket) { return End(ticket, kExpired); }

  // Does the same as Expire for a request whose signal was not sent: the cell becomes free.
  std::optional<StackAnswer> Cancel(Ticket ticket) { return End(ticket, kFree); }

  // True if the thread has not run the handler for a request that has expired: its signal is still
  // pending.
  bool Owes(Tid tid) const;

  // Calls has_ended(tid) for the thread of each expired request, and frees the cell if the result
  // is true.
  template <typename HasEnded>
  void FreeEnded(HasEnded&& has_ended) {
    for (Cell& cell : cells_) {
      uint64_t state = cell.state.load(std::memory_order_acquire);
      if (StateOf(state) != kExpired || !has_ended(cell.tid.load(std::memory_order_relaxed))) {
        continue;
      }
      cell.state.compare_exchange_strong(state, With(state, kFree), std::memory_order_relaxed);
    }
  }

  // --- for handlers, on the asked thread

  // Returns the cells whose requests ask the thread `tid`, one bit each. The caller has to answer
  // them by Answer. Frees the cells of the thread's expired requests.
  uint64_t Claim(Tid tid);

  // Answers the requests of `claimed`, a result of Claim. Sets StackAnswer::holds for each of them,
  // if `may_read` is true: guarded loads may be used.
  void Answer(uint64_t claimed, const StackAnswer& answer, bool may_read = false);

 private:
  // kAbandoned means that the request has expired while its handler was answering.
  enum State : uint64_t { kFree, kAsked, kAnswering, kAnswered, kExpired, kAbandoned };
  static constexpr int kStateBits = 3;

  static State StateOf(uint64_t word) { return State{word & ((1 << kStateBits) - 1)}; }
  static uint64_t GenerationOf(uint64_t word) { return word >> kStateBits; }
  static uint64_t With(uint64_t word, State state) {
    return GenerationOf(word) << kStateBits | static_cast<uint64_t>(state);
  }

  // Ends the request. `unclaimed` is the next state of the cell if no handler has claimed it.
  std::optional<StackAnswer> End(Ticket ticket, State unclaimed);

  struct alignas(64) Cell {
    // The generation and the state. kAsked is stored with release after `tid`, and loaded with
    // acquire before `tid` is read. kAnswered is stored with release after `answer` is written, and
    // loaded with acquire before `answer` is read. The other changes are relaxed.
    std::atomic<uint64_t> state{kFree};
    std::atomic<Tid> tid{Tid{0}};
    HeldWord word;  // written and read as `tid`, but read only after the request is claimed
    StackAnswer answer;
  };

  std::array<Cell, kCells> cells_;
};

// Answers the requests for the stack of the running thread. Called in a handler, which interrupts
// the profiler's other handlers as little as they interrupt each other. `slot_index` is the index
// in the signal.
void AnswerStackRequests(uint32_t slot_index, void* ucontext);

}  // namespace jprof
