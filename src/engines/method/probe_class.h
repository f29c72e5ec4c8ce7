// ProbeClass is the Java class that probed methods call (java/MethodProbes.java), in the boot
// loader of this JVM. The class stays there until the JVM ends, because code with probes might be
// running.
//
// Used on threads that are attached to the JVM; not for handlers. Thread-safe, except Read.
#pragma once

#include <jni.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "engines/method/latency_histogram.h"
#include "sigsafe/base/types.h"

namespace jprof {

extern const std::span<const uint8_t> kProbeClassBytes;

// The counts of a method since the recording began.
struct MethodCounts {
  uint64_t calls = 0;
  uint64_t exceptions = 0;  // calls that ended with an exception
  bool is_timed = true;     // false if calls are only counted, so that there are no durations
  Nanos total_ns = 0;
  Nanos longest_ns = 0;
  Nanos shortest_ns = 0;  // 0 without calls
  LatencyHistogram durations = {};

  // Returns the quantile of the histogram, limited to the range from the shortest to the longest
  // call. These two durations are exact.
  Nanos Quantile(double share) const {
    return std::clamp(durations.Quantile(share), shortest_ns, std::max(shortest_ns, longest_ns));
  }
};

class ProbeClass {
 public:
  static constexpr char kName[] = "java/jprof/MethodProbes";

  // The threshold of a method whose calls are only counted.
  static constexpr Nanos kCounted = -1;

  // Called by a probe at the end of a slow call, on the thread of the call. `thrown` is nullptr if
  // the call returned normally.
  using Slow = void(JNICALL*)(JNIEnv*, jclass, jint number, jlong start_ns, jlong duration_ns,
                              jthrowable thrown);
  // Called by the entry probe of a method that begin= or end= names. Returns true if later calls
  // with this number change nothing, so that the probe can omit them.
  using Window = jboolean(JNICALL*)(JNIEnv*, jclass, jint number);

  // Returns the class. The first call defines it.
  static Result<const ProbeClass*> OfProcess(JNIEnv* jni);

  // Bind a native method of the class to a C++ function. Called before there is a probe that might
  // call the function. REQUIRES: repeated calls pass the same function.
  Status Bind(JNIEnv* jni, Slow slow) const;
  Status Bind(JNIEnv* jni, Window window) const;

  // Starts to count calls to methods whose numbers are `first` or above.
  Status Open(JNIEnv* jni, uint32_t first) const;
  // Sets the duration from which on a call to the method is slow. `threshold_ns` is kCounted if
  // calls are only counted. Called before the method has probes.
  Status SetThreshold(JNIEnv* jni, uint32_t number, Nanos threshold_ns) const;
  // Makes probes that are still in the code do nothing from now on, and forgets the counts.
  void Close(JNIEnv* jni) const;

  // Returns the counts of a method. Allocates no Java object. One call at a time.
  Result<MethodCounts> Read(JNIEnv* jni, uint32_t number) const;

  // Returns a lower bound of the number of calls that were not counted because the stack or the
  // heap was full.
  uint64_t Uncounted(JNIEnv* jni) const;

 private:
  ProbeClass() = default;

  static Result<const ProbeClass*> Make(JNIEnv* jni);

  jclass class_ = nullptr;  // a global reference
  jmethodID open_ = nullptr;
  jmethodID set_threshold_ = nullptr;
  jmethodID close_ = nullptr;
  jmethodID read_ = nullptr;
  jmethodID uncounted_ = nullptr;
};

}  // namespace jprof
