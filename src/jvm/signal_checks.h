// Whether the JVM looks at its signal handlers every few seconds and prints a page, again and
// again, where it finds another one.
//
// So it does with -Xcheck:jni alone; not if it has been told that users have handlers of their own
// (-XX:+AllowUserSignalHandlers), nor under libjsig (jdk-17+35
// src/hotspot/os/posix/signals_posix.cpp, install_signal_handlers).
//
// There is no walk of ours without such a handler. The check compares the address of the handler
// with the JVM's own (check_signal_handler, as above), so ours cannot be behind that one, and it is
// decided once, at start-up, whether to check, so no flag can be set later. Safe loads would take
// two system calls for each of the some hundred words of a walk; the VM's SafeFetch, whose faults
// its own handler knows, is not exported, and a pointer to it in place of the load costs every walk
// of every other JVM a jump. So AsyncGetCallTrace walks, and the start says so.
//
// On any thread outside handlers.
#pragma once

#include "jvm/vm_structs.h"

namespace jprof {

bool JvmChecksSignalHandlers(const VmStructs& structs);

}  // namespace jprof
