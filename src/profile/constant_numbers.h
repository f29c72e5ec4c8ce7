// ConstantNumbers: a number for each constant of one type, for one purpose: the profile's number of
// a thread, of a stack, and so on. Each purpose has its own table, so that numbers of different
// purposes cannot be confused, whatever the metadata claims. Part of ReadSamples; one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "jfr/reader/jfr_constants.h"

namespace jprof::profile {

class ConstantNumbers {
 public:
  // REQUIRES: `constants` is sealed and outlives this.
  ConstantNumbers(const JfrConstants& constants, uint32_t type)
      : constants_(constants), type_(type) {}

  uint32_t type() const { return type_; }

  // The number of the constant, plus 1; 0: none yet. nullptr if the chunk does not have it. Valid
  // until the next call.
  uint32_t* PlaceOf(uint64_t key) {
    const uint32_t number = constants_.NumberOf(type_, key);
    if (number == 0) return nullptr;
    if (numbers_.empty()) numbers_.resize(constants_.CountOf(type_));
    return &numbers_[number - 1];
  }

  // No constant has a number after it.
  void Clear() { numbers_.clear(); }

 private:
  const JfrConstants& constants_;
  const uint32_t type_;
  std::vector<uint32_t> numbers_;  // by JfrConstants::NumberOf
};

}  // namespace jprof::profile
