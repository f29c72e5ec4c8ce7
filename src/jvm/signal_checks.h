// Whether the JVM looks at its signal handlers every few seconds and prints a page, again and
// again, where it finds another one.
//
// So it does with -Xcheck:jni alone; not if it has been told that users have handlers of their own
// (-XX:+AllowUserSignalHandlers), nor under libjsig (jdk-17+35
// src/hotspot/os/posix/signals_posix.cpp, install_signal_handlers).
//
// On any thread outside handlers.
#pragma once

#include "jvm/vm_structs.h"

namespace jprof {

bool JvmChecksSignalHandlers(const VmStructs& structs);

}  // namespace jprof
