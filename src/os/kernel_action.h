// The action of a signal as the kernel has it.
//
// libjsig, preloaded into a JVM, answers sigaction() for the JVM's signals from its own table, and
// changes that table only (jdk-17+35 src/java.base/unix/native/libjsig/jsig.c).
// These functions bypass libjsig.
//
// Thread-safe. Not async-signal-safe.
#pragma once

#include <csignal>
#include <string>

#include "base/result.h"

namespace jprof {

Result<struct sigaction> KernelAction(int signal);

// False if the action is no longer `expected`: an action set by others meanwhile stays.
Result<bool> ExchangeKernelAction(int signal, const struct sigaction& expected,
                                  const struct sigaction& action);

// Whether handler, flags and mask are equal.
bool IsSameAction(const struct sigaction& one, const struct sigaction& other);

// Path of the library that contains the handler, for messages.
std::string LibraryOf(const struct sigaction& action);

}  // namespace jprof
