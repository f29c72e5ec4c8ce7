// The events of our recordings as plain structs. Times are CLOCK_MONOTONIC nanoseconds; keys come
// from ConstantPools (0: none); strings are UTF-8, and a string without data (std::string_view{})
// is written as null. The views need to live only until JfrWriter::Append returns.
//
// Fields() hands every field to a writer in the order of jfr_types.def; the writer is compared with
// that table at compile time (field_writer.h), so order, number and types cannot drift apart.
#pragma once

#include <cstdint>
#include <string_view>

#include "recording/jfr/constants.h"
#include "recording/jfr/jfr_types.h"

namespace jprof {

// One quantum (the effective interval) of CPU time of a thread.
struct ExecutionSample {
  static constexpr JfrType kType = JfrType::kExecutionSample;
  int64_t time_ns = 0;
  uint32_t thread_key = 0;
  uint32_t stack_key = 0;
  ThreadState state = ThreadState::kDefault;

  template <class Writer>
  constexpr void Fields(Writer& out) const {
    out.Time(time_ns);
    out.Key(JfrType::kThread, thread_key);
    out.Key(JfrType::kStackTrace, stack_key);
    out.Key(JfrType::kThreadState, static_cast<uint32_t>(state));
  }
};

// `samples` quanta of elapsed time of a thread that did not change its stack.
struct WallClockSample {
  static constexpr JfrType kType = JfrType::kWallClockSample;
  int64_t time_ns = 0;
  uint32_t thread_key = 0;
  uint32_t stack_key = 0;
  ThreadState state = ThreadState::kUnknown;
  uint32_t samples = 1;
  int64_t time_span_ns = 0;

  template <class Writer>
  constexpr void Fields(Writer& out) const {
    out.Time(time_ns);
    out.Key(JfrType::kThread, thread_key);
    out.Key(JfrType::kStackTrace, stack_key);
    out.Key(JfrType::kThreadState, static_cast<uint32_t>(state));
    out.Int(samples);
    out.Duration(time_span_ns);
  }
};

struct ActiveRecording {
  static constexpr JfrType kType = JfrType::kActiveRecording;
  int64_t time_ns = 0;
  int64_t id = 1;
  std::string_view name = {};
  std::string_view destination = {};
  bool disk = true;
  int64_t max_age_ms = 0;
  int64_t flush_interval_ms = 0;
  int64_t max_size_bytes = 0;
  int64_t recording_start_epoch_ms = 0;
  int64_t recording_duration_ms = 0;

  template <class Writer>
  constexpr void Fields(Writer& out) const {
    out.Time(time_ns);
    out.Long(id);
    out.String(name);
    out.String(destination);
    out.Bool(disk);
    out.Long(max_age_ms);
    out.Long(flush_interval_ms);
    out.Long(max_size_bytes);
    out.Long(recording_start_epoch_ms);
    out.Long(recording_duration_ms);
  }
};

// A setting of one event type. EventSettings writes these; nobody else needs to.
struct ActiveSetting {
  static constexpr JfrType kType = JfrType::kActiveSetting;
  int64_t time_ns = 0;
  JfrType event = JfrType::kActiveSetting;  // JMC refuses ids that are no declared event type
  std::string_view name = {};
  std::string_view value = {};

  template <class Writer>
  constexpr void Fields(Writer& out) const {
    out.Time(time_ns);
    out.Long(TypeId(event));
    out.String(name);
    out.String(value);
  }
};

struct DataLoss {
  static constexpr JfrType kType = JfrType::kDataLoss;
  int64_t time_ns = 0;
  int64_t amount_bytes = 0;
  int64_t total_bytes = 0;

  template <class Writer>
  constexpr void Fields(Writer& out) const {
    out.Time(time_ns);
    out.Long(amount_bytes);
    out.Long(total_bytes);
  }
};

struct OSInformation {
  static constexpr JfrType kType = JfrType::kOSInformation;
  int64_t time_ns = 0;
  std::string_view os_version = {};

  template <class Writer>
  constexpr void Fields(Writer& out) const {
    out.Time(time_ns);
    out.String(os_version);
  }
};

struct CPUInformation {
  static constexpr JfrType kType = JfrType::kCPUInformation;
  int64_t time_ns = 0;
  std::string_view cpu = {};
  std::string_view description = {};
  uint32_t sockets = 0;
  uint32_t cores = 0;
  uint32_t hw_threads = 0;

  template <class Writer>
  constexpr void Fields(Writer& out) const {
    out.Time(time_ns);
    out.String(cpu);
    out.String(description);
    out.Int(sockets);
    out.Int(cores);
    out.Int(hw_threads);
  }
};

// jvm_version is the VM's own string, "... JRE (25.0.3+9-LTS), built on ...": JMC parses it.
struct JVMInformation {
  static constexpr JfrType kType = JfrType::kJVMInformation;
  int64_t time_ns = 0;
  std::string_view jvm_name = {};
  std::string_view jvm_version = {};
  std::string_view jvm_arguments = {};
  std::string_view jvm_flags = {};
  std::string_view java_arguments = {};
  int64_t jvm_start_epoch_ms = 0;
  int64_t pid = 0;

  template <class Writer>
  constexpr void Fields(Writer& out) const {
    out.Time(time_ns);
    out.String(jvm_name);
    out.String(jvm_version);
    out.String(jvm_arguments);
    out.String(jvm_flags);
    out.String(java_arguments);
    out.Long(jvm_start_epoch_ms);
    out.Long(pid);
  }
};

struct InitialSystemProperty {
  static constexpr JfrType kType = JfrType::kInitialSystemProperty;
  int64_t time_ns = 0;
  std::string_view key = {};
  std::string_view value = {};

  template <class Writer>
  constexpr void Fields(Writer& out) const {
    out.Time(time_ns);
    out.String(key);
    out.String(value);
  }
};

struct NativeLibrary {
  static constexpr JfrType kType = JfrType::kNativeLibrary;
  int64_t time_ns = 0;
  std::string_view name = {};
  uint64_t base_address = 0;
  uint64_t top_address = 0;
  std::string_view build_id = {};  // hexadecimal; empty if it has none

  template <class Writer>
  constexpr void Fields(Writer& out) const {
    out.Time(time_ns);
    out.String(name);
    out.Long(static_cast<int64_t>(base_address));
    out.Long(static_cast<int64_t>(top_address));
    out.String(build_id);
  }
};

}  // namespace jprof
