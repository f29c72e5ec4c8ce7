// The action of a signal as the kernel has it.
//
// libjsig, preloaded into a JVM, answers sigaction() for the JVM's signals from a table of its own,
// and what is set goes into that table alone (jdk-17+35 src/java.base/unix/native/libjsig/jsig.c).
// These functions call the C library past it.
//
// Thread-safe. Not async-signal-safe.
#pragma once

#include <csignal>
#include <string>

#include "base/result.h"

namespace jprof {

Result<struct sigaction> KernelAction(int signal);

// False if `expected` is no longer there: what somebody else has put there meanwhile stays.
Result<bool> ExchangeKernelAction(int signal, const struct sigaction& expected,
                                  const struct sigaction& action);

// Handler, flags and mask are the same.
bool IsSameAction(const struct sigaction& one, const struct sigaction& other);

// Path of the library that the handler is in, for messages.
std::string LibraryOf(const struct sigaction& action);

}  // namespace jprof
