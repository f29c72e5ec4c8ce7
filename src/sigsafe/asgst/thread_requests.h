// ThreadRequests: requests of a thread for the frames of another one, which walks itself.
//
//   requester                                        asked thread, in the handler of the signal
//   Open ─▶ kAsked, then it sends a signal ─────────▶ kWalking: writes its frames to the cell
//   Poll ◀──────────────────────── kAnswered ◀──────
//   Close, after its patience ──▶ kExpired ─────────▶ a late handler frees the cell
//
// The protocol is that of sampling/stack_requests.h, whose answers are stacks of a recording. The
// state of a cell is one word with a generation, which each Open increments, so a handler that is
// late never answers another request. The memory is never freed.
//
// Async-signal-safe, thread-safe and lock-free. There is one object per process.
#pragma once

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "sigsafe/asgst/stack_iterator.h"
#include "sigsafe/base/types.h"
#include "sigsafe/memory/region.h"

namespace jprof::asgst {

class ThreadRequests {
 public:
  static constexpr size_t kCells = 16;
  // The maximum number of frames of an answer. The walk of a deeper stack ends there.
  static constexpr size_t kMaxFrames = 8192;
  static constexpr size_t kRegionSize = kCells * kMaxFrames * sizeof(WalkedFrame);

  struct Ticket {
    size_t cell = 0;
    uint64_t generation = 0;

    // Returns the value that the signal carries.
    uint64_t Cookie() const { return generation << 8 | cell; }
  };

  // The frames are valid until Close. `kind` can be the reason why there are none.
  using Answer = StoredFrames;

  static ThreadRequests& OfProcess();

  // Sets the memory for frames. Called once, before the first request.
  void Use(Region region) { frames_ = static_cast<WalkedFrame*>(region.data); }

  // --- for requesters

  // Opens a request to the thread. Returns nullopt if all cells are taken.
  std::optional<Ticket> Open(Tid tid, int32_t options);

  // Returns the answer, if there is one.
  std::optional<Answer> Poll(const Ticket& ticket) const;

  // Ends the request. If the thread has not answered, the cell stays taken until its handler has
  // run, or until FreeEnded finds that the thread has ended. With `was_sent` false, the cell becomes
  // free at once.
  void Close(const Ticket& ticket, bool was_sent);

  // True if the thread has not run the handler for a request that has been closed.
  bool Owes(Tid tid) const;

  // Calls has_ended(tid) for the thread of each request that was closed without an answer, and frees
  // the cell if the result is true.
  template <typename HasEnded>
  void FreeEnded(HasEnded&& has_ended) {
    for (Cell& cell : cells_) {
      uint64_t word = cell.state.load(std::memory_order_acquire);
      if (StateOf(word) != kExpired || !has_ended(cell.tid.load(std::memory_order_relaxed))) {
        continue;
      }
      cell.state.compare_exchange_strong(word, With(word, kFree), std::memory_order_relaxed);
    }
  }

  // --- for the handler, on the asked thread

  // Answers the request that the signal names, if it is one for the calling thread.
  void Respond(uint64_t cookie, const ucontext_t* ucontext);

 private:
  // kAbandoned: the request was closed while its handler was walking.
  enum State : uint64_t { kFree, kAsked, kWalking, kAnswered, kExpired, kAbandoned };
  static constexpr int kStateBits = 3;

  static State StateOf(uint64_t word) { return State{word & ((1 << kStateBits) - 1)}; }
  static uint64_t GenerationOf(uint64_t word) { return word >> kStateBits; }
  static uint64_t With(uint64_t word, State state) {
    return GenerationOf(word) << kStateBits | static_cast<uint64_t>(state);
  }

  struct alignas(64) Cell {
    // kAsked is stored with release after `tid` and `options`, and loaded with acquire before they
    // are read. kAnswered is stored with release after the answer, and loaded with acquire before
    // the answer is read. The other changes are relaxed.
    std::atomic<uint64_t> state{kFree};
    std::atomic<Tid> tid{Tid{0}};
    int32_t options = 0;
    int32_t kind = 0;
    int32_t last = 0;
    size_t count = 0;
  };

  void Walk(Cell& cell, WalkedFrame* frames, const ucontext_t* ucontext);

  WalkedFrame* frames_ = nullptr;
  std::array<Cell, kCells> cells_;
};

// The handler of the signal of the requests.
void ThreadRequestHandler(int signal, siginfo_t* info, void* ucontext);

}  // namespace jprof::asgst
