// JavaBridge: the class java.jprof.Bridge in the boot loader (java/Bridge.java). Every copy of
// jprof.Profiler in the JVM gives its commands through this class, even a relocated copy, a copy of
// another version or a copy in another class loader.
//
// Not for signal handlers.
#pragma once

#include <jni.h>

#include <cstdint>
#include <span>

namespace jprof {

// The class files of src/agent/java, which the build compiles.
extern const std::span<const uint8_t> kBridgeBytes;
extern const std::span<const uint8_t> kBridgeBeanBytes;

class JavaBridge {
 public:
  // Defines the class and binds its native method, unless this has been done before. If another
  // copy of the library has done this first, the bridge leads to that copy. If the JVM refuses, for
  // example because memory is short, a later call tries again. Thread-safe; takes no locks, because
  // it raises events of the JVM. REQUIRES: the live phase.
  static void Provide(JavaVM* vm);
};

}  // namespace jprof
