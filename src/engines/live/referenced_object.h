// ReferencedObject: a sampled object, by a weak reference of the JVM. A plain value.
#pragma once

#include <jni.h>

#include <cstdint>
#include <memory>
#include <string>

#include "jvm/method_info.h"
#include "sigsafe/base/types.h"
#include "sigsafe/sampling/sample.h"
#include "threads/thread_info.h"

namespace jprof {

struct ReferencedObject {
  jweak reference = nullptr;
  Nanos time_ns = 0;  // it is not younger
  CallTraceId trace = kDroppedCallTrace;
  SampledThread thread;
  uint32_t thread_number = 0;  // by which it is calibrated
  uint32_t class_number = 0;
  uint64_t bytes = 0;
  // What the sample stands for, and its standard error, in bytes; without thinning.
  double weight = 0;
  double error = 0;
  double factor = 1;  // thinning (live_table.h)

  // Set by the recorder's thread.
  std::shared_ptr<const ThreadInfo> platform_thread;
  std::string virtual_name;
  std::shared_ptr<const ClassInfo> type;
  bool is_described = false;
  bool is_scaled = false;           // the weight is calibrated
  bool has_survived_young = false;  // later young collections say nothing
  uint32_t age = 0;                 // collections survived that could have freed it

  double ThinnedWeight() const { return factor * weight; }
  // The square of the standard error of that.
  double ThinnedVariance() const {
    return factor * (error * error + (factor - 1) * weight * weight);
  }
};

}  // namespace jprof
