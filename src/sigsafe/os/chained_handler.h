// ChainedHandler: the signal action that was there before ours, so that signals which are not ours
// reach whom they were meant for.
//
// Set: once per installation, before our handler can run. Forward: Async-signal-safe.
#pragma once

#include <atomic>
#include <csignal>

namespace jprof {

class ChainedHandler {
 public:
  void Set(const struct sigaction& previous);

  // Calls the previous handler. SIG_IGN and SIG_DFL do nothing: the default action of the profiling
  // signals would end the process, and nobody who sends one while we listen means that.
  void Forward(int signal, siginfo_t* info, void* context) const;

 private:
  using SimpleHandler = void (*)(int);
  using InfoHandler = void (*)(int, siginfo_t*, void*);

  // release in Set, acquire in Forward; at most one of them is set.
  std::atomic<SimpleHandler> simple_{nullptr};
  std::atomic<InfoHandler> with_info_{nullptr};
};

static_assert(std::atomic<void (*)(int)>::is_always_lock_free);

}  // namespace jprof
