// The functions of the agent that probes call: the native methods of ShadowProbes.java. At a share
// of the entries of methods, OnCheck compares the stack that JVMTI reports with the shadow stack,
// and the stacks of the walkers with the one that JVMTI reports.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <span>

#include "base/result.h"

namespace jprof {

class Validation;

extern const std::span<const uint8_t> kShadowProbesBytes;
extern const std::span<const uint8_t> kShadowProbesOfJdk8Bytes;

class ShadowProbeClass {
 public:
  static constexpr char kName[] = "java/jprof/ShadowProbes";

  // Returns the class that probes call. The first call defines it. Called on a thread that is
  // attached to the JVM.
  static Result<const ShadowProbeClass*> OfProcess(jvmtiEnv* jvmti, JNIEnv* jni);

  // Starts to keep shadow stacks for the recording of `validation`.
  Status Open(JNIEnv* jni, const Validation& validation) const;
  void Close(JNIEnv* jni) const;

 private:
  jclass class_ = nullptr;  // a global reference
  jmethodID open_ = nullptr;
  jmethodID close_ = nullptr;
};

}  // namespace jprof
