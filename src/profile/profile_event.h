// ProfileEvent: an event of any type, passed to a SampleSink. Valid during the call. One thread.
#pragma once

#include <cstdint>
#include <optional>

#include "jfr/reader/jfr_value.h"

namespace jprof::profile {

struct ProfileEvent {
  const JfrEvent& event;  // its fields: profile/analysis/event_rows.h
  int64_t time_ns = 0;    // since 1970
  int64_t duration_ns = 0;
  int64_t inside_ns = duration_ns;  // what of the duration a slice has; without one all of it
  std::optional<uint32_t> thread = std::nullopt;  // of Profile::threads()
  std::optional<uint32_t> stack = std::nullopt;   // node of Profile::stacks
  uint32_t recording = 0;                         // of several that are read as one, from 0
};

}  // namespace jprof::profile
