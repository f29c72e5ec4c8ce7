// ProbeTask: a task of the test agent asgst_probe.
#pragma once

#include <jvmti.h>
#include <ucontext.h>

#include <string>

#include "native/asgst_probe/api.h"

namespace jprof::test {

// The names of a method as the API returns them: package/Class.method(I)V; "?" if unknown.
inline std::string NameOf(const Api& api, ASGST_Method method) {
  char name[300];
  char signature[300];
  char declaring[300];
  ASGST_MethodInfo info{};
  info.method_name = name;
  info.method_name_length = sizeof name;
  info.signature = signature;
  info.signature_length = sizeof signature;
  if (api.ASGST_GetMethodInfo(method, &info) != 1) return "?";
  ASGST_ClassInfo class_info{};
  class_info.class_name = declaring;
  class_info.class_name_length = sizeof declaring;
  if (api.ASGST_GetClassInfo(info.klass, &class_info) != 1) return "?";
  return std::string(declaring) + "." + name + signature;
}

class ProbeTask {
 public:
  virtual ~ProbeTask() = default;

  // Called when the program calls WalkProbe.begin, in that native method.
  virtual void Begin(jvmtiEnv*, JNIEnv*) {}
  // Called in the callback for a sampled allocation.
  virtual void OnAllocation(jvmtiEnv*, JNIEnv*) {}
  // Called in the handler of SIGPROF.
  virtual void OnSignal(ucontext_t*) {}
  virtual bool IsDone() const = 0;
  // Returns the lines that the agent prints at the end of the JVM.
  virtual std::string Text() = 0;
};

}  // namespace jprof::test
