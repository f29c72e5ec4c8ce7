// Unblocks SIGSEGV and SIGBUS for the rest of a handler on a thread that blocks them.
//
// The kernel kills a process that faults while the signal of the fault is blocked (Linux v6.1
// kernel/signal.c, force_sig_info_to_task), so guarded loads need both signals unblocked. The JVM
// unblocks them when a thread attaches; a library may block them again.
//
// Async-signal-safe. No cost where neither is blocked, else two system calls.
#pragma once

#include <ucontext.h>

#include <cstdint>

namespace jprof {

// Called in a handler with its `ucontext`: the kernel restores the mask in it when the handler
// returns. False: one of the signals is pending and would be delivered by unblocking it; guarded
// loads must not be used.
[[nodiscard]] bool OpenFaultSignals(const ucontext_t* ucontext);

// Outside handlers: unblocks them while it lives.
class OpenFaultSignalsScope {
 public:
  OpenFaultSignalsScope();
  ~OpenFaultSignalsScope();
  OpenFaultSignalsScope(const OpenFaultSignalsScope&) = delete;
  OpenFaultSignalsScope& operator=(const OpenFaultSignalsScope&) = delete;

  // False: as OpenFaultSignals.
  bool are_open() const { return are_open_; }

 private:
  uint64_t blocked_ = 0;  // of the two, as the kernel has them
  bool are_open_ = false;
};

}  // namespace jprof
