// MethodOfId finds the method of a jmethodID.
//
// Up to JDK 25 a jmethodID is the address of a Method*. From JDK 26 on (JDK-8268406) it is a number
// in a table that the JVM does not export, but each class also has the jmethodIDs of its methods, and
// JVMTI finds the class. No two methods get the same number, so the number shows that what was read
// is the right class.
//
// Thread-safe, not for handlers.
#pragma once

#include <jni.h>

#include <cstdint>

#include "jvm/jvm_events.h"

namespace jprof::asgst {

// Returns the identity of the method, and copies the names of the method; 0 if it is not known.
// REQUIRES: the method's class is loaded, and stays so during the call.
uint64_t MethodOfId(JvmEvents& events, jmethodID id);

}  // namespace jprof::asgst
