// These classes and functions turn a sampled object into events:
//
//   AllocSampling, ObjectWeight   the object's sample and its weight, on the allocating thread
//   PendingObject                 the object on its way into the table of live objects, if live
//                                 objects are recorded
//   AllocationOf                  the sample as an Allocation, whose weight can still be scaled
//   WriteAllocation               the events: the JDK's, and ours with the object's size and the
//                                 standard error of its weight (docs/formats/jfr.md)
//
// AllocationOf and WriteAllocation are called on the recorder's thread.
#pragma once

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>

#include "call_traces/preserved_call_traces.h"
#include "chunks/sample_events.h"
#include "jfr/writer/jfr_writer.h"
#include "sigsafe/base/check.h"
#include "sigsafe/base/types.h"
#include "sigsafe/sampling/sample.h"
#include "sigsafe/sampling/sample_policy.h"

namespace jprof {

struct [[gnu::packed]] AllocPayload {
  static constexpr SampleKind kKind = SampleKind::kAlloc;

  uint64_t object_bytes;
  uint32_t class_number;   // number in SampledClasses; 0 for an object that our probes allocate
  uint32_t thread_number;  // number of the platform thread (or carrier) in WatchedThreads
  // The factor (RateBound) with which the JVM drew the gap that ended with the sample; 0 if the
  // sample stands for its own object alone.
  uint16_t interval_factor;
  bool is_outside_tlab;
};

// PendingCallTraces keeps the stack ids of sampled objects that are not in the table of live
// objects yet. It has 64 cells. If an object finds no free cell, a rotation of the table of stacks
// can drop the object's stack.
//
// Thread-safe.
class PendingCallTraces {
 public:
  using Cell = std::atomic<uint64_t>;

  // Returns a free cell, which only the caller may use, or nullptr if all cells are in use.
  Cell* Claim() {
    for (Cell& cell : cells_) {
      uint64_t free = kFree;
      if (cell.compare_exchange_strong(free, Value(kDroppedCallTrace), std::memory_order_relaxed)) {
        return &cell;
      }
    }
    return nullptr;
  }
  // Frees the cell of an object that is in the table by now. release, paired with the acquire load
  // in KeepLive: a thread that loads kFree there also finds the object in the table.
  static void Free(Cell* cell) { cell->store(kFree, std::memory_order_release); }

  void KeepLive(LiveCallTraces& live) const {
    for (const Cell& cell : cells_) {
      const uint64_t id = cell.load(std::memory_order_acquire);
      if (id > Value(kDroppedCallTrace)) live.Keep(CallTraceId{id});
    }
  }

 private:
  static constexpr uint64_t kFree = 0;

  std::array<Cell, 64> cells_{};
};

// PendingObject is a sampled object that is not in the table of live objects yet. It is used on the
// allocating thread.
//
// The stack is stored before the object enters the table, and a rotation can come between these two
// steps. Therefore a cell of PendingCallTraces holds the stack's id from the first step until the
// object is in the table.
class PendingObject {
 public:
  explicit PendingObject(PendingCallTraces& pending) : cell_(pending.Claim()) {}
  PendingObject(const PendingObject&) = delete;
  PendingObject& operator=(const PendingObject&) = delete;
  ~PendingObject() {
    if (cell_ != nullptr) PendingCallTraces::Free(cell_);
  }

  // Notes the stored sample. Called while TakeSample holds the guard of the table of stacks.
  // relaxed: a rotation waits until the guard has been released, which happens after the store to
  // the cell.
  void OnStored(const Sample& sample) {
    time_ns_ = sample.time_ns;
    thread_ = sample.thread;
    trace_ = sample.trace;
    if (cell_ != nullptr) cell_->store(Value(trace_), std::memory_order_relaxed);
  }
  // Notes that the sample is outside all windows (begin=, end=) and is therefore not recorded.
  void OnOutside() { is_outside_ = true; }

  bool is_outside() const { return is_outside_; }
  // Return the time, the thread and the stack of the sample. If the sample was lost, they return 0,
  // no thread, and kDroppedCallTrace.
  Nanos time_ns() const { return time_ns_; }
  SampledThread thread() const { return thread_; }
  CallTraceId trace() const { return trace_; }

 private:
  PendingCallTraces::Cell* const cell_;
  bool is_outside_ = false;
  Nanos time_ns_ = 0;
  SampledThread thread_;
  CallTraceId trace_ = kDroppedCallTrace;
};

// AllocSampling is the policy by which TakeSample records a sampled object.
class AllocSampling : public WeighedSampling<AllocPayload> {
 public:
  // `weight` is the number of bytes that the object stands for. `pending` gets the time, thread and
  // stack of the sample; it is nullptr if live objects are not recorded.
  AllocSampling(uint64_t weight, const AllocPayload& payload, PendingObject* pending)
      : WeighedSampling(weight, payload), pending_(pending) {}

  void OnStored(ThreadSlot&, const Sample& sample) {
    if (pending_ != nullptr) pending_->OnStored(sample);
  }
  void OnOutside(ThreadSlot&) {
    if (pending_ != nullptr) pending_->OnOutside();
  }

 private:
  PendingObject* const pending_;
};

// ObjectWeight is the number of bytes that a sampled object stands for, with its standard error.
//
// The JVM draws the number of bytes between two samples of a thread from an exponential
// distribution whose mean is the interval. Therefore an object of S bytes is sampled with
// probability p = 1 - e^(-S/interval). The sum of S/p over all samples is an unbiased estimate of
// the allocated bytes. S^2 (1-p) / p^2 estimates the variance that one sample adds to the sum.
struct ObjectWeight {
  double bytes;           // S/p
  double standard_error;  // in bytes

  // Returns the weight of an object that was sampled at `interval_bytes`. REQUIRES: both arguments
  // are > 0.
  static ObjectWeight Of(uint64_t object_bytes, int64_t interval_bytes) {
    JPROF_CHECK(object_bytes > 0 && interval_bytes > 0);
    const auto size = static_cast<double>(object_bytes);
    const double per_interval = size / static_cast<double>(interval_bytes);
    const double minus_p = std::expm1(-per_interval);  // -p; exp() would need glibc 2.29
    const double bytes = size / -minus_p;
    return {bytes, bytes * std::sqrt(1 + minus_p)};
  }
};

// Returns `bytes` rounded to an integer, as events contain it. REQUIRES: bytes >= 0.
inline uint64_t RoundedBytes(double bytes) { return static_cast<uint64_t>(std::llround(bytes)); }

enum class AllocationEvents : bool { kSample, kTlabPair };

// A sampled object, or a loss (samples that could not be recorded). The keys in it are those of the
// open chunk.
struct Allocation {
  Nanos time_ns;
  uint32_t thread_key;
  uint32_t stack_key;
  uint32_t class_key;
  bool is_outside_tlab;
  uint16_t interval_factor;  // as in AllocPayload
  uint64_t object_bytes;     // 0 for a loss, of which only the weight is known
  uint64_t weight_bytes;
  uint64_t error_bytes;
};

// Returns the sample or loss as an Allocation. `interval_bytes` is the interval that
// AllocPayload::interval_factor multiplies. REQUIRES: `resolved` is of kind kAlloc.
Allocation AllocationOf(const ResolvedSample& resolved, int64_t interval_bytes);

void WriteAllocation(const Allocation& allocation, AllocationEvents events, JfrWriter& writer);

}  // namespace jprof
