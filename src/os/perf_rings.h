// PerfRings: the ring buffers of perf_events, in one range of addresses that stays readable for the
// life of the process, so that a late signal handler reads zeros and never faults. A mapped ring
// costs two pages of RAM, a place without a ring none.
//
// Not for signal handlers. The caller serialises the calls for one place.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "sigsafe/base/check.h"

namespace jprof {

class PerfRings {
 public:
  // Reserves address space for `count` rings. The object is leaked on purpose: one per process.
  static Result<PerfRings*> Reserve(size_t count);

  PerfRings(const PerfRings&) = delete;
  PerfRings& operator=(const PerfRings&) = delete;

  const uint8_t* base() const { return base_; }
  size_t page_bytes() const { return page_bytes_; }

  // Maps the event's ring at `place`: a page of control words and a page of records. Fails if the
  // kernel locks no more memory for this user (kernel.perf_event_mlock_kb).
  // REQUIRES: place < count.
  Status Map(int fd, size_t place);

  // Replaces the ring by zeros.
  void Unmap(size_t place);

 private:
  PerfRings(uint8_t* base, size_t count, size_t page_bytes)
      : base_(base), count_(count), page_bytes_(page_bytes) {}
  uint8_t* PlaceOf(size_t place) const {
    JPROF_CHECK(place < count_);
    return base_ + place * 2 * page_bytes_;
  }

  uint8_t* const base_;
  const size_t count_;
  const size_t page_bytes_;
};

}  // namespace jprof
