// ProbeClass: the Java class that probed methods call (java/MethodProbes.java), in the boot loader
// of this JVM. It stays there as long as the JVM lives: code with probes may be running.
//
// On threads that are attached to the JVM, outside handlers. Thread-safe, but for Read.
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

// Of one method, since the recording began.
struct MethodCounts {
  uint64_t calls = 0;
  uint64_t exceptions = 0;  // of the calls
  bool is_timed = true;     // false: counted alone, there are no durations
  Nanos total_ns = 0;
  Nanos longest_ns = 0;
  Nanos shortest_ns = 0;  // 0 without calls
  LatencyHistogram durations = {};

  // As the histogram has it, and never beyond the shortest and the longest call, which are exact.
  Nanos Quantile(double share) const {
    return std::clamp(durations.Quantile(share), shortest_ns, std::max(shortest_ns, longest_ns));
  }
};

class ProbeClass {
 public:
  static constexpr char kName[] = "java/jprof/MethodProbes";

  static constexpr Nanos kCounted = -1;

  // Called by a probe on the thread that has ended a slow call. `thrown`: nullptr if it returned.
  using Slow = void(JNICALL*)(JNIEnv*, jclass, jint number, jlong start_ns, jlong duration_ns,
                              jthrowable thrown);
  // Called by the entry probe of a method of begin= or end=. True: calls with this number make no
  // difference from now on, and the probe need not tell of them.
  using Window = jboolean(JNICALL*)(JNIEnv*, jclass, jint number);

  // Defines the class, at the first call.
  static Result<const ProbeClass*> OfProcess(JNIEnv* jni);

  // Before the first probe that may call it; again with the same function.
  Status Bind(JNIEnv* jni, Slow slow) const;
  Status Bind(JNIEnv* jni, Window window) const;

  // Calls are counted from now on, of methods from `first` on.
  Status Open(JNIEnv* jni, uint32_t first) const;
  // Before the method has probes. kCounted: of one that is counted alone.
  Status SetThreshold(JNIEnv* jni, uint32_t number, Nanos threshold_ns) const;
  // Probes that are still in the code do nothing from now on; the counts are forgotten.
  void Close(JNIEnv* jni) const;

  // Allocates no object. One call at a time.
  Result<MethodCounts> Read(JNIEnv* jni, uint32_t number) const;

  // Calls that ended where neither stack nor heap had room: at least so many.
  uint64_t Uncounted(JNIEnv* jni) const;

  // As ids of frames: what of the class is on the stack when `slow` is called, callee first.
  uint64_t slow_frame() const { return reinterpret_cast<uintptr_t>(slow_); }
  uint64_t end_frame() const { return reinterpret_cast<uintptr_t>(end_); }

 private:
  ProbeClass() = default;

  static Result<const ProbeClass*> Make(JNIEnv* jni);

  jclass class_ = nullptr;  // a global reference
  jmethodID slow_ = nullptr;
  jmethodID end_ = nullptr;
  jmethodID open_ = nullptr;
  jmethodID set_threshold_ = nullptr;
  jmethodID close_ = nullptr;
  jmethodID read_ = nullptr;
  jmethodID uncounted_ = nullptr;
};

}  // namespace jprof
