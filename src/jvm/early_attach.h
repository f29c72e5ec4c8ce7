// MayAttach: whether the JVM can take a thread that attaches while the JVM is starting.
//
// JDK 8 takes one at any time, and calls methods of java.lang.Thread for it that nobody has linked
// before the main thread has its own object: the VM then jumps to address 0 (jdk8u
// hotspot/src/share/vm/runtime/thread.cpp, Threads::create_vm: create_initial_thread; agents hear of
// VMStart before). From JDK 14 on the list of threads is exported otherwise, and VMStart comes
// later. Any thread outside signal handlers.
#pragma once

#include "jvm/vm_structs.h"

namespace jprof {

// True as well if the JVM does not export its list of threads.
bool MayAttach(const VmStructs& structs);

}  // namespace jprof
