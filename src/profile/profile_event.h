// ProfileEvent: an event of any type, passed to a SampleSink. Valid only during the call to
// SampleSink::OnEvent. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>

#include "jfr/reader/jfr_value.h"

namespace jprof::profile {

struct ProfileEvent {
  const JfrEvent& event;  // profile/analysis/event_rows.h reads its fields
  int64_t time_ns = 0;    // nanoseconds since 1970
  int64_t duration_ns = 0;
  int64_t inside_ns = duration_ns;  // the part of the duration in the slice; all of it without one
  std::optional<uint32_t> thread = std::nullopt;  // index into Profile::threads()
  std::optional<uint32_t> stack = std::nullopt;   // node of Profile::stacks
  uint32_t recording = 0;  // number of the recording among those read as one, from 0
};

}  // namespace jprof::profile
