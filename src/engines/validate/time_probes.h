// TimeProbeClass is the Java class that the probes of `exact` call (java/TimeProbes.java). It
// connects the probes with ExactTimes.
//
// Used on threads that are attached to the JVM; not for handlers. Thread-safe.
#pragma once

#include <jni.h>

#include <cstdint>
#include <span>

#include "base/result.h"

namespace jprof {

extern const std::span<const uint8_t> kTimeProbesBytes;

class TimeProbeClass {
 public:
  static constexpr char kName[] = "java/jprof/TimeProbes";

  // Returns the class. The first call defines it.
  static Result<const TimeProbeClass*> OfProcess(JNIEnv* jni);

  // Starts to measure calls of methods whose numbers are `first` or above.
  Status Open(JNIEnv* jni, uint32_t first) const;
  // Makes the probes of the method cost next to nothing. REQUIRES: ExactTimes leaves it out.
  void LeaveOut(JNIEnv* jni, uint32_t number) const;
  // Makes all probes cost next to nothing.
  void Close(JNIEnv* jni) const;

 private:
  jclass class_ = nullptr;  // a global reference
  jmethodID open_ = nullptr;
  jmethodID leave_out_ = nullptr;
  jmethodID close_ = nullptr;
};

}  // namespace jprof
