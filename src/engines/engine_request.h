// EngineRequest: what an option string asks of one engine, and how a recording says so.
//
// Thread-safe: no state.
#pragma once

#include <cstdint>
#include <string>

#include "recording/jfr/event_settings.h"
#include "session/options/options.h"

namespace jprof {

struct EngineRequest {
  int64_t interval = 0;     // in the unit of its samples
  int place = 1;            // among the engines, in the order in which they were asked for
  std::string filter = {};  // the threads that were asked for; empty: all
};

// REQUIRES: `options` switches `engine` on.
EngineRequest RequestOf(const Options& options, EngineId engine);

// Settings of an engine whose interval is a time. `number`: the setting that is the interval as a
// plain number.
void AddTimeRequest(const EngineRequest& request, JfrType event, const char* number,
                    EventSettings& settings);

}  // namespace jprof
