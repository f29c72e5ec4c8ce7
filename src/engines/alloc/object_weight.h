// ObjectWeight: the bytes that a sampled object stands for, and their standard error.
//
// The JVM draws the gaps between samples from an exponential distribution whose mean is the
// interval, so an object of S bytes is sampled with probability p = 1 - e^(-S/interval), and S/p is
// an unbiased estimate of the bytes of objects of its size. The estimate of its variance is
// S^2 (1-p) / p^2.
#pragma once

#include <cmath>
#include <cstdint>

#include "sigsafe/base/check.h"

namespace jprof {

struct ObjectWeight {
  double bytes;           // S/p
  double standard_error;  // in bytes

  // REQUIRES: both > 0.
  static ObjectWeight Of(uint64_t object_bytes, int64_t interval_bytes) {
    JPROF_CHECK(object_bytes > 0 && interval_bytes > 0);
    const auto size = static_cast<double>(object_bytes);
    const double per_interval = size / static_cast<double>(interval_bytes);
    const double minus_p = std::expm1(-per_interval);  // -p; exp() would need glibc 2.29
    const double bytes = size / -minus_p;
    return {bytes, bytes * std::sqrt(1 + minus_p)};
  }
};

}  // namespace jprof
