// What the program does to the machine, as the JDK's own events: loads, memory, threads, garbage
// collections.
//
// As in jfr_events.h: times are CLOCK_MONOTONIC nanoseconds, strings UTF-8 views that live during
// Append, and the fields are compared with jfr_types.def at compile time.
#pragma once

#include <cstdint>

#include "recording/jfr/constants.h"
#include "recording/jfr/jfr_types.h"

namespace jprof {

// Shares of all processors, 0 to 1.
struct CPULoad {
  static constexpr JfrType kType = JfrType::kCPULoad;
  int64_t time_ns = 0;
  float jvm_user = 0;
  float jvm_system = 0;
  float machine_total = 0;

  template <class Writer>
  constexpr void Fields(Writer& out) const {
    out.Time(time_ns);
    out.Float(jvm_user);
    out.Float(jvm_system);
    out.Float(machine_total);
  }
};

// Shares of all processors, 0 to 1, as the JDK counts them.
struct ThreadCPULoad {
  static constexpr JfrType kType = JfrType::kThreadCPULoad;
  int64_t time_ns = 0;
  uint32_t thread_key = 0;
  float user = 0;
  float system = 0;

  template <class Writer>
  constexpr void Fields(Writer& out) const {
    out.Time(time_ns);
    out.Key(JfrType::kThread, thread_key);
    out.Float(user);
    out.Float(system);
  }
};

struct ResidentSetSize {
  static constexpr JfrType kType = JfrType::kResidentSetSize;
  int64_t time_ns = 0;
  int64_t size_bytes = 0;
  int64_t peak_bytes = 0;

  template <class Writer>
  constexpr void Fields(Writer& out) const {
    out.Time(time_ns);
    out.Long(size_bytes);
    out.Long(peak_bytes);
  }
};

// Which thread started it, and where, is not recorded: null.
struct ThreadStart {
  static constexpr JfrType kType = JfrType::kThreadStart;
  int64_t time_ns = 0;
  uint32_t thread_key = 0;

  template <class Writer>
  constexpr void Fields(Writer& out) const {
    out.Time(time_ns);
    out.Key(JfrType::kThread, thread_key);
    out.Key(JfrType::kStackTrace, 0);
    out.Key(JfrType::kThread, thread_key);
    out.Key(JfrType::kThread, 0);
  }
};

struct ThreadEnd {
  static constexpr JfrType kType = JfrType::kThreadEnd;
  int64_t time_ns = 0;
  uint32_t thread_key = 0;

  template <class Writer>
  constexpr void Fields(Writer& out) const {
    out.Time(time_ns);
    out.Key(JfrType::kThread, thread_key);
    out.Key(JfrType::kThread, thread_key);
  }
};

// One pause in which the VM collected garbage. Keys are 0 where the VM does not tell.
struct GarbageCollection {
  static constexpr JfrType kType = JfrType::kGarbageCollection;
  int64_t time_ns = 0;
  int64_t duration_ns = 0;
  uint32_t gc_id = 0;
  uint32_t name_key = 0;
  uint32_t cause_key = 0;

  template <class Writer>
  constexpr void Fields(Writer& out) const {
    out.Time(time_ns);
    out.Duration(duration_ns);
    out.Int(gc_id);
    out.Key(JfrType::kGCName, name_key);
    out.Key(JfrType::kGCCause, cause_key);
    out.Duration(duration_ns);
    out.Duration(duration_ns);
  }
};

// Addresses are not known: 0.
struct GCHeapSummary {
  static constexpr JfrType kType = JfrType::kGCHeapSummary;
  int64_t time_ns = 0;
  uint32_t gc_id = 0;
  GCWhen when = GCWhen::kAfter;
  int64_t committed_bytes = 0;
  int64_t reserved_bytes = 0;
  int64_t used_bytes = 0;

  template <class Writer>
  constexpr void Fields(Writer& out) const {
    out.Time(time_ns);
    out.Int(gc_id);
    out.Key(JfrType::kGCWhen, static_cast<uint32_t>(when));
    out.Struct(JfrType::kVirtualSpace);
    out.Long(0);
    out.Long(0);
    out.Long(committed_bytes);
    out.Long(0);
    out.Long(reserved_bytes);
    out.Long(used_bytes);
  }
};

}  // namespace jprof
