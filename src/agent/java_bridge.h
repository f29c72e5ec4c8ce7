// JavaBridge: the class java.jprof.Bridge in the boot loader (java/Bridge.java), by which every
// copy of jprof.Profiler in the JVM gives its commands: copies in other class loaders, relocated
// ones, and those of other versions.
//
// Outside handlers.
#pragma once

#include <jni.h>

#include <cstdint>
#include <span>

namespace jprof {

// src/agent/java, compiled by the build.
extern const std::span<const uint8_t> kBridgeBytes;
extern const std::span<const uint8_t> kBridgeBeanBytes;

class JavaBridge {
 public:
  // Defines the class and binds its native method, unless that was done. Another copy of the
  // library may have been first: then the bridge leads there. Where the JVM refuses, as it does
  // while memory is short, a later call tries again. Thread-safe; locks nothing, for it raises
  // events of the JVM. REQUIRES: the live phase.
  static void Provide(JavaVM* vm);
};

}  // namespace jprof
