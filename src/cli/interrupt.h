// Interrupt: Ctrl-C (SIGINT), SIGTERM and SIGHUP become a request to finish, for a scope. One that
// was ignored before (nohup, a shell's background job) stays so.
//
// One at a time; jprof's one thread.
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

  // Sleeps until it is requested, `fd` (-1: none) is readable, or the deadline has come.
  void WaitUntil(const Deadline& deadline, int fd) const;

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

  sigset_t previous_mask_;
  std::array<struct sigaction, kSignals.size()> previous_actions_{};
};

}  // namespace jprof
