// ClassConstants: maps the number of a class in a sample's payload to the class's key in the
// recording.
//
// Used on the recorder's thread, for one chunk.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "jfr/writer/constant_pools.h"
#include "jvm/method_info.h"
#include "jvm/sampled_classes.h"

namespace jprof {

uint32_t ClassKey(const ClassInfo& info, ConstantPools& pools);

class ClassConstants {
 public:
  ClassConstants(SampledClasses& classes, ConstantPools& pools)
      : classes_(classes), pools_(pools) {}

  // Returns the key of a class. 0 (no class): the number is 0, or no longer known (SampledClasses).
  uint32_t KeyOf(uint32_t number);

 private:
  SampledClasses& classes_;
  ConstantPools& pools_;
  std::unordered_map<uint32_t, uint32_t> keys_;  // keyed by number
};

}  // namespace jprof
