// The calling thread's mask of blocked signals.
// OpenFaultSignals, OpenFaultSignalsScope: unblock SIGSEGV and SIGBUS for guarded loads.
// AsyncSignalsBlocked: a scope in which no handler of an asynchronous signal runs on the thread.
//
// The kernel kills a process that faults while the signal of the fault is blocked (Linux v6.1
// kernel/signal.c, force_sig_info_to_task), so guarded loads need both signals unblocked. The JVM
// unblocks them when a thread attaches; a library might block them again.
//
// Async-signal-safe.
#pragma once

#include <ucontext.h>

#include <csignal>
#include <cstdint>
#include <initializer_list>

namespace jprof {

// Unblocks SIGSEGV and SIGBUS for the rest of a handler. `ucontext` is the handler's argument: when
// the handler returns, the kernel restores the mask that `ucontext` contains. Makes no system call
// if neither signal is blocked, else two. Returns false if guarded loads must not be used, because
// one of the signals is pending and unblocking would deliver it, or because a system call failed.
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
  // The signals that the constructor has unblocked, in the kernel's format.
  uint64_t blocked_ = 0;
  bool are_open_ = false;
};

// Blocks all signals of the calling thread while the object lives, except those for faults of the
// thread's own instructions: the VM handles such faults as part of its normal work, and a fault
// whose signal is blocked ends the process. Makes two system calls.
//
// For a short section of code outside handlers, during which the thread and its own signal handlers
// must not both use the same data or lock.
class AsyncSignalsBlocked {
 public:
  AsyncSignalsBlocked() {
    sigset_t asynchronous;
    sigfillset(&asynchronous);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) {
      sigdelset(&asynchronous, signal);
    }
    pthread_sigmask(SIG_BLOCK, &asynchronous, &previous_);
  }
  ~AsyncSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &previous_, nullptr); }

  AsyncSignalsBlocked(const AsyncSignalsBlocked&) = delete;
  AsyncSignalsBlocked& operator=(const AsyncSignalsBlocked&) = delete;

 private:
  sigset_t previous_;
};

}  // namespace jprof
