// StackAsker asks other threads for their stacks. It sends a signal to each thread, and the thread
// walks itself in its handler (sigsafe/sampling/stack_requests.h).
//
// The asked thread waits for nothing: it loses only the time of its handler. The asking thread
// waits at most kPatience for all answers together. A thread that has got no processor by then
// answers later, with the stack at which it goes on. The caller collects such answers later, or
// gives up.
//
// A thread without an answer is counted with the reason. It gets no further signal until it has run
// its handler.
//
// Used by one thread at a time, outside handlers. Any thread may read the counts.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "os/signal_action.h"
#include "sigsafe/sampling/stack_requests.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

// The reasons for which a thread did not answer.
enum class NoAnswer : uint8_t {
  kEnded,            // the thread has ended, or its slot has another thread
  kBlocked,          // the thread blocks the signal
  kStopped,          // the thread is stopped, for example by a debugger
  kUninterruptible,  // the thread waits in the kernel, which delivers no signal meanwhile
  kNoProcessor,      // the thread got no processor, or had no time to answer
  kPending,          // the thread has not answered an earlier request yet
  kNotSent,          // no cell was free, or the kernel did not send the signal
  kNotStored,        // the handler could not store the stack
};
inline constexpr size_t kNoAnswerCount = 8;

// Returns a text for people, such as "the thread blocks the signal".
std::string_view TextOf(NoAnswer reason);

class StackAsker {
 public:
  // The longest time for which Collect waits.
  static constexpr Nanos kPatience = 2'000'000;

  // A thread to ask, and its answer.
  struct Question {
    // Set by the caller.
    ThreadSlot* thread = nullptr;
    uint32_t serial = 0;  // ThreadSlot::serial of the thread that is meant
    HeldWord word = {};
    // Set by the StackAsker.
    bool is_open = false;  // true while an answer can come
    std::optional<StackAnswer> answer = std::nullopt;
    std::optional<NoAnswer> why = std::nullopt;  // the reason why there is no answer
    Nanos sent_ns = 0;
    StackRequests::Ticket ticket = {};
  };

  // Installs the handler for a free signal. `avoid` is a signal that is not used; 0 for none. Fails
  // if no signal is free.
  static Result<std::unique_ptr<StackAsker>> Start(int avoid);

  // Opens the question and sends the signal. If that fails, sets the reason.
  void Send(Question& question);
  // Sets the answers to open questions that have come. If a question of the last `kPatience` has
  // none, waits for the answers until kPatience has passed since the call.
  void Collect(std::span<Question> questions);
  // Closes an open question, and sets the reason why there is no answer. REQUIRES: the question is
  // open.
  void GiveUp(Question& question);

  // Restores the previous action of the signal. Repeated calls have no effect. REQUIRES: no
  // question is sent any more.
  void Stop() { action_.Uninstall(); }

  int signal() const { return signal_; }
  // Returns the number of questions with an answer, and that of the questions without one.
  uint64_t answered() const { return answered_.load(std::memory_order_relaxed); }
  uint64_t Unanswered(NoAnswer reason) const {
    return unanswered_[static_cast<size_t>(reason)].load(std::memory_order_relaxed);
  }
  // Returns the longest time, in ns, for which a thread was in its handler.
  Nanos longest_ns() const { return longest_ns_.load(std::memory_order_relaxed); }
  // Returns the time, in ns, for which all threads together were in their handlers.
  Nanos total_ns() const { return total_ns_.load(std::memory_order_relaxed); }

 private:
  StackAsker(int signal, SignalAction action) : signal_(signal), action_(std::move(action)) {}

  std::optional<NoAnswer> TrySend(Question& question) const;
  NoAnswer ReasonOf(const Question& question) const;
  void Set(Question& question, const StackAnswer& answer);
  void SetNone(Question& question, NoAnswer why);

  const int signal_;
  SignalAction action_;
  // relaxed: plain counters.
  std::atomic<uint64_t> answered_{0};
  std::array<std::atomic<uint64_t>, kNoAnswerCount> unanswered_{};
  std::atomic<Nanos> longest_ns_{0};
  std::atomic<Nanos> total_ns_{0};
};

}  // namespace jprof
