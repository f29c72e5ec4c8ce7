// JvmEvents: the agent's JVMTI environment: its capabilities, its callbacks, and which of them are
// on.
//
// Create: once per process, in Agent_OnLoad, Agent_OnAttach or from the C API. The callbacks run on
// the JVM's threads and hand on to a Listener. Nothing but the life of the VM is reported while no
// session runs, so an idle agent costs nothing. In a child of fork nothing is.
#pragma once

#include <jvmti.h>

#include "base/result.h"
#include "sigsafe/base/priming_path.h"

namespace jprof {

class JvmEvents {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void OnVmInit(JNIEnv* jni) = 0;
    virtual void OnVmDeath() = 0;
    virtual void OnThreadStart(JNIEnv* jni, jthread thread) = 0;
    virtual void OnThreadEnd() = 0;
    // Before the method's first call.
    virtual void OnNativeMethodBind() = 0;
    virtual void OnClassPrepare(JNIEnv* jni, jclass prepared) = 0;
    // While the VM stands still: no call of JNI, none of JVMTI, no lock.
    virtual void OnGarbageCollectionStart() = 0;
    virtual void OnGarbageCollectionFinish() = 0;
    virtual void OnCodeGenerated(const char* name, const void* start, jint size) = 0;
  };

  // `listener` stays for the life of the process.
  static Result<jvmtiEnv*> CreateEnvironment(JavaVM* vm, Listener* listener);

  // The events of a running session: threads, prepared classes, pauses of the collector, code that
  // the VM generates for itself, from now on and what there is already; and two that are wanted for
  // what they make the VM do: ClassLoad (AsyncGetCallTrace refuses without) and CompiledMethodLoad
  // (compiled code gets debug information between safepoints, so that inlined frames and lines are
  // right).
  // Threads and the binding of native methods only if `priming` wants to know of them.
  static Status Enable(jvmtiEnv* jvmti, PrimingPaths priming);
  static void Disable(jvmtiEnv* jvmti);
};

}  // namespace jprof
