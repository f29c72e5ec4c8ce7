// OpenFaultSignals: unblocks SIGSEGV and SIGBUS for the rest of a handler on a thread that blocks
// them.
//
// The kernel kills a process that faults while the signal of the fault is blocked (Linux v6.1
// kernel/signal.c, force_sig_info_to_task), so guarded loads need both signals unblocked. The JVM
// unblocks them when a thread attaches; a library might block them again.
//
// Async-signal-safe. In a handler there is no cost if neither signal is blocked, else two system
// calls.
#pragma once

#include <ucontext.h>

#include <cstdint>

namespace jprof {

// Unblocks SIGSEGV and SIGBUS in a handler. `ucontext` is the handler's: the kernel restores the
// mask in it when the handler returns. Returns false if guarded loads must not be used: one of the
// signals is pending, and unblocking would deliver it; or a system call failed.
[[nodiscard]] bool OpenFaultSignals(const ucontext_t* ucontext);

// Unblocks SIGSEGV and SIGBUS while the object lives. For code outside handlers.
class OpenFaultSignalsScope {
 public:
  OpenFaultSignalsScope();
  ~OpenFaultSignalsScope();
  OpenFaultSignalsScope(const OpenFaultSignalsScope&) = delete;
  OpenFaultSignalsScope& operator=(const OpenFaultSignalsScope&) = delete;

  // Returns false if guarded loads must not be used (OpenFaultSignals).
  bool are_open() const { return are_open_; }

 private:
  uint64_t blocked_ = 0;  // the two signals, if they were blocked, in the kernel's format
  bool are_open_ = false;
};

}  // namespace jprof
