// ProfileEvent is an event of any type, as passed to SampleSink::OnEvent. It is valid only during
// that call. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>

#include "jfr/reader/jfr_value.h"

namespace jprof::profile {

struct ProfileEvent {
  const JfrEvent& event;  // profile/analysis/event_rows.h reads its fields
  int64_t time_ns = 0;    // nanoseconds since 1970
  int64_t duration_ns = 0;
  // The part of the duration that lies in the slice; the whole duration if there is no slice.
  int64_t inside_ns = duration_ns;
  std::optional<uint32_t> thread = std::nullopt;  // index into Profile::threads()
  std::optional<uint32_t> stack = std::nullopt;   // node of Profile::stacks
  uint32_t recording = 0;  // index of the recording if several are read as one
};

}  // namespace jprof::profile
