// StackComparison: a request for the shadow stack of a thread and for the stacks that the walkers
// find at the same instruction.
//
//   engine                                   asked thread, in the handler of the signal
//   Open ─▶ kAsked, then it sends a signal ──▶ Claim ─▶ kAnswering: copies and walks
//   Poll ◀──────────────────── kAnswered ◀── Publish
//   Withdraw ─▶ kIdle, if no handler has claimed the request
//
// There is one request at a time. The state is one word with a generation, so a late handler never
// answers a later request.
//
// ComparisonHandler and the functions that it calls are async-signal-safe.
#pragma once

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "sigsafe/base/types.h"
#include "sigsafe/stack/asgct_walker.h"
#include "sigsafe/stack/frame.h"
#include "sigsafe/validation/agct_calls.h"
#include "sigsafe/validation/interrupted_code.h"
#include "sigsafe/validation/shadow_stacks.h"

namespace jprof {

// Says whether a handler could take both stacks.
enum class ComparisonOutcome : uint8_t {
  kTaken,
  kNotAttached,    // the thread is not attached to the JVM, or has no slot
  kNoWalkBuffer,   // all buffers for walks were taken
  kNotReadable,    // the interrupted code blocks SIGSEGV or SIGBUS, or VmCursor is off
  kThreadUnknown,  // the id of the mounted virtual thread cannot be read now
  kTooDeep,        // a stack has more frames than kMost
};

struct ComparedStacks {
  static constexpr uint32_t kMost = 2048;

  ComparisonOutcome outcome = ComparisonOutcome::kNotAttached;
  int64_t thread = 0;           // threadId() of the platform or virtual thread
  uint64_t interrupted_pc = 0;  // address of the interrupted instruction
  uint64_t java_pc = 0;         // address in the innermost physical Java frame; 0 if there is none
  bool is_doubtful = false;     // ShadowStack::is_doubtful
  bool is_between = false;      // a virtual thread is mounted, and the walk went on to the carrier
  bool is_truncated = false;    // Stack::truncated
  InterruptedCode code = {};
  uint32_t carrier_count = 0;  // entries of `carrier`; 0 if the thread is no virtual thread
  uint32_t shadow_count = 0;   // entries of `shadow`, the outermost method first
  uint32_t frame_count = 0;    // frames of our walker, callee first
  uint32_t asgct_count = 0;    // frames of AsyncGetCallTrace
  bool calls_asgct = false;    // AsyncGetCallTrace was called
  ShadowEntry shadow[ShadowStack::kMost] = {};
  ShadowEntry carrier[ShadowStack::kMost] = {};  // the shadow stack of the carrier
  Frame frames[kMost + 1] = {};
  AsgctFrame asgct[kMost + 1] = {};
};

class StackComparison {
 public:
  // REQUIRES: `stacks` and the object live as long as the process.
  explicit StackComparison(const ShadowStacks& stacks) : stacks_(stacks) {}

  // --- for the engine, on one thread

  // Opens the request for the thread `tid`. The caller then sends a signal to the thread.
  // `asgct` makes the calls of AsyncGetCallTrace; nullptr for none. REQUIRES: no request is open;
  // `asgct` lives until the request has been answered or withdrawn.
  void Open(Tid tid, AgctCalls* asgct);
  // Returns the answer if it has been published; else nullptr. The answer is valid until the next
  // Open.
  const ComparedStacks* Poll() const;
  // Ends the request. Returns false if a handler is answering it: the answer then comes soon.
  bool Withdraw();

  const ShadowStacks& stacks() const { return stacks_; }

  // --- for the handler

  // Returns the answer to fill in, if there is a request for the thread; else nullptr.
  ComparedStacks* Claim(Tid tid);
  void Publish();
  AgctCalls* asgct() const { return asgct_.load(std::memory_order_relaxed); }

 private:
  enum State : uint64_t { kIdle, kAsked, kAnswering, kAnswered };
  static constexpr int kStateBits = 2;

  static State StateOf(uint64_t word) { return State{word & ((1 << kStateBits) - 1)}; }
  static uint64_t With(uint64_t word, State state) {
    return word >> kStateBits << kStateBits | static_cast<uint64_t>(state);
  }

  const ShadowStacks& stacks_;
  // The generation and the state. Each change is a release store, and each reader of the other
  // members loads the word with acquire before.
  std::atomic<uint64_t> word_{kIdle};
  std::atomic<Tid> tid_{Tid{0}};
  std::atomic<AgctCalls*> asgct_{nullptr};
  ComparedStacks answer_;
};

// Makes ComparisonHandler answer the requests of `comparison`; nullptr for none. REQUIRES:
// `comparison` lives as long as the process.
void AnswerComparisons(StackComparison* comparison);

// Handles the signal of the engine: takes both stacks of the interrupted thread.
void ComparisonHandler(int signal, siginfo_t* info, void* ucontext);

}  // namespace jprof
