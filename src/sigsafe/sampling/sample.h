// A Sample is one sample on its way from a handler to the recorder. A Sample is plain data: ids and
// numbers, no pointers.
//
//   header                                       payload, which depends on the kind
//   time  trace  weight  thread  context  kind   wall: elapsed, activity   cpu: none
//
// A weight is an exact number in the unit of the kind (sample_kinds.def): for cpu and wall, the
// nanoseconds of the whole intervals that the sample stands for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "sigsafe/base/check.h"
#include "sigsafe/base/sample_kinds.h"
#include "sigsafe/base/types.h"

namespace jprof {

// The thread of a sample: a kernel thread, or the virtual thread mounted on it.
class SampledThread {
 public:
  // `serial` is ThreadSlot::serial.
  static SampledThread Platform(uint32_t serial, Tid tid) {
    JPROF_CHECK(Value(tid) >= 0);
    return SampledThread(uint64_t{serial} << kTidBits | static_cast<uint32_t>(Value(tid)));
  }
  // `id` is Thread.threadId(), which is positive.
  static SampledThread Virtual(int64_t id) {
    JPROF_CHECK(id > 0);
    return SampledThread(kIsVirtual | static_cast<uint64_t>(id));
  }

  constexpr SampledThread() = default;

  bool is_virtual() const { return (bits_ & kIsVirtual) != 0; }
  // Returns the id of a virtual thread; 0 for a kernel thread.
  int64_t virtual_id() const {
    return is_virtual() ? static_cast<int64_t>(bits_ & ~kIsVirtual) : 0;
  }
  // Return the serial and the tid of a kernel thread; 0 for a virtual thread.
  uint32_t serial() const { return is_virtual() ? 0 : static_cast<uint32_t>(bits_ >> kTidBits); }
  Tid tid() const { return Tid{is_virtual() ? 0 : static_cast<int32_t>(bits_ & kTidMask)}; }

  bool operator==(const SampledThread&) const = default;

 private:
  static constexpr uint64_t kIsVirtual = uint64_t{1} << 63;
  static constexpr int kTidBits = 31;
  static constexpr uint64_t kTidMask = (uint64_t{1} << kTidBits) - 1;

  explicit SampledThread(uint64_t bits) : bits_(bits) {}

  uint64_t bits_ = 0;  // kIsVirtual and the id, or serial and tid
};

inline constexpr size_t kMaxPayloadBytes = [] {
  size_t most = 1;
  for (const SampleKindRow& row : kSampleKinds) most = std::max<size_t>(most, row.payload_bytes);
  return most;
}();

struct Sample {
  Nanos time_ns;  // CLOCK_MONOTONIC
  CallTraceId trace;
  uint64_t weight;
  SampledThread thread;
  uint32_t context : 31;        // result of PutContext in the epoch of `trace`; 0 if there is none
  uint32_t has_last_stack : 1;  // 1 after SetLastStackTime
  SampleKind kind;

  // Returns the time at which the stack was taken: time_ns, unless SetLastStackTime was called.
  Nanos stack_ns() const {
    if (has_last_stack == 0) return time_ns;
    Nanos taken_ns = 0;
    std::memcpy(&taken_ns, payload + RowOf(kind).payload_bytes, sizeof taken_ns);
    return taken_ns;
  }

  // Marks the stack as one that was taken at `taken_ns`, for the thread's previous sample of the
  // kind. REQUIRES: the kind is cut into intervals.
  void SetLastStackTime(Nanos taken_ns) {
    JPROF_CHECK(IsCutIntoIntervals(RowOf(kind).unit));
    has_last_stack = 1;
    std::memcpy(payload + RowOf(kind).payload_bytes, &taken_ns, sizeof taken_ns);
  }

  // Return and set the payload. P is the payload type of the kind: P::kKind is the kind, and
  // sizeof(P) is payload_bytes in the table of kinds.
  template <typename P>
  P Payload() const {
    CheckPayload<P>();
    P value;
    std::memcpy(&value, payload, sizeof value);
    return value;
  }
  template <typename P>
  void SetPayload(const P& value) {
    CheckPayload<P>();
    std::memcpy(payload, &value, sizeof value);
  }

  std::byte payload[kMaxPayloadBytes];

 private:
  template <typename P>
  void CheckPayload() const {
    static_assert(std::is_trivially_copyable_v<P>);
    static_assert(sizeof(P) == RowOf(P::kKind).payload_bytes);
    JPROF_CHECK(kind == P::kKind);
  }
};

static_assert(std::is_trivially_copyable_v<Sample>);

// Returns the number of bytes that a sample of the kind takes in a block. A sample with its
// thread's last stack (SetLastStackTime) takes more bytes than a sample with a stack of its own.
constexpr size_t StoredBytes(SampleKind kind, bool has_last_stack = false) {
  constexpr size_t kAlignment = alignof(Sample);
  const size_t bytes =
      offsetof(Sample, payload) + RowOf(kind).payload_bytes + (has_last_stack ? sizeof(Nanos) : 0);
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

static_assert(std::ranges::all_of(kSampleKinds, [](const SampleKindRow& row) {
  return !IsCutIntoIntervals(row.unit) || StoredBytes(row.kind, true) <= sizeof(Sample);
}));

}  // namespace jprof
