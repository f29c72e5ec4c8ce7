// SampleSettings: the sampled kinds and their intervals, as an option string requests them, or as
// the engines use them during a chunk.
//
// Async-signal-safe: plain data.
#pragma once

#include <cstdint>

#include "sigsafe/base/check.h"
#include "sigsafe/base/sample_kinds.h"

namespace jprof {

struct KindSettings {
  int64_t interval = 0;  // interval in the unit of the kind; nanoseconds for times
  uint8_t place = 0;     // position in the order of requests, from 1; 0 if disabled

  bool enabled() const { return place != 0; }
  bool operator==(const KindSettings&) const = default;
};

class SampleSettings {
 public:
  const KindSettings& operator[](SampleKind kind) const {
    return kinds_[static_cast<size_t>(kind)];
  }

  // Sets the interval of the kind. If the kind is not enabled yet, enables it as the last one in
  // the order of requests. REQUIRES: interval > 0.
  SampleSettings& Enable(SampleKind kind, int64_t interval) {
    JPROF_CHECK(interval > 0);
    KindSettings& settings = kinds_[static_cast<size_t>(kind)];
    if (!settings.enabled()) settings.place = NextPlace();
    settings.interval = interval;
    return *this;
  }

  // Disables all kinds. The intervals stay, because weights of a disabled kind might still have to
  // be reported.
  void DisableAll() {
    for (KindSettings& settings : kinds_) settings.place = 0;
  }

  // Returns the weight as reports show it. If the time of the kind is cut into intervals, this is a
  // number of intervals; otherwise it is the weight itself.
  uint64_t Reported(SampleKind kind, uint64_t weight) const {
    if (!IsCutIntoIntervals(RowOf(kind).unit)) return weight;
    const int64_t interval = (*this)[kind].interval;
    return interval == 0 ? 0 : weight / static_cast<uint64_t>(interval);
  }

  bool operator==(const SampleSettings&) const = default;

 private:
  uint8_t NextPlace() const {
    uint8_t place = 1;
    for (const KindSettings& kind : kinds_) place += kind.enabled() ? 1 : 0;
    return place;
  }

  KindSettings kinds_[kSampleKindCount];
};

}  // namespace jprof
