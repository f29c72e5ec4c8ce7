// JvmChecksSignalHandlers: whether the JVM checks its signal handlers every few seconds, and prints
// a page of warnings each time a handler of SIGSEGV or SIGBUS is not its own.
//
// The JVM does so with -Xcheck:jni, unless it runs with -XX:+AllowUserSignalHandlers or under
// libjsig (jdk-17+35 src/hotspot/os/posix/signals_posix.cpp, install_signal_handlers).
//
// Our walker needs a fault handler of its own, so in such a JVM AsyncGetCallTrace walks, and the
// answer of the start says so. The alternatives fail or cost too much:
//  - Our handler behind the JVM's: the check compares addresses of functions (check_signal_handler,
//    as above), and the JVM decides once, while it starts, whether it checks.
//  - Loads by system calls: two calls for each of some hundred words of a walk.
//  - The VM's SafeFetch, whose faults its own handler knows: not exported, and a pointer to the
//    load function would cost every walk in every other JVM an indirect call.
//
// On any thread outside handlers.
#pragma once

#include "jvm/vm_structs.h"

namespace jprof {

bool JvmChecksSignalHandlers(const VmStructs& structs);

}  // namespace jprof
