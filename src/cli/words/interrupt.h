// Interrupt: turns Ctrl-C (SIGINT), SIGTERM and SIGHUP into a request to finish, during a scope. A
// signal that was ignored before (nohup, a shell's background job) stays ignored.
//
// At most one instance exists at a time. Used on jprof's only thread.
#pragma once

#include <array>
#include <csignal>

#include "attach/deadline.h"

namespace jprof {

class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool IsRequested() const;

  // True if a signal has requested to finish. Unlike IsRequested, also handles a signal that has
  // arrived since the last WaitUntil.
  bool IsRequestedNow() const;

  // Sleeps until a signal arrives, `fd` is readable (-1 for none), or the deadline has passed.
  void WaitUntil(const Deadline& deadline, int fd) const;

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

  sigset_t previous_mask_;
  std::array<struct sigaction, kSignals.size()> previous_actions_{};
};

}  // namespace jprof
