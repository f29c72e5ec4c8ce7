// EngineRequest: an option string's request to one engine, and its entry in a recording.
//
// Thread-safe: no state.
#pragma once

#include <cstdint>
#include <string>

#include "jfr/writer/event_settings.h"
#include "options/options.h"
#include "sigsafe/base/sample_settings.h"

namespace jprof {

struct EngineRequest {
  KindSettings samples = {};
  std::string filter = {};  // the requested threads; empty: all
  SampleKind kind = {};
};

// REQUIRES: `options` switches the engine of `kind` on.
EngineRequest RequestOf(const Options& options, SampleKind kind);

// Adds to the settings of the chunk: samples of the kind, as `event`, and the request for them.
void AddRequest(const EngineRequest& request, JfrType event, EventSettings& settings);

// As above, for an engine with a time as interval. `number`: the name of the setting for the
// interval as a plain number.
void AddTimeRequest(const EngineRequest& request, JfrType event, const char* number,
                    EventSettings& settings);

}  // namespace jprof
