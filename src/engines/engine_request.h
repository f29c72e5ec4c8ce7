// EngineRequest: what an option string asks of one engine, and how a recording says so.
//
// Thread-safe: no state.
#pragma once

#include <cstdint>
#include <string>

#include "recording/jfr/event_settings.h"
#include "session/options/options.h"
#include "sigsafe/base/sample_settings.h"

namespace jprof {

struct EngineRequest {
  KindSettings samples = {};
  std::string filter = {};  // the threads that were asked for; empty: all
  SampleKind kind = {};
};

// REQUIRES: `options` switches the engine of `kind` on.
EngineRequest RequestOf(const Options& options, SampleKind kind);

// That the chunk has samples of the kind, as `event`, and who asked for them.
void AddRequest(const EngineRequest& request, JfrType event, EventSettings& settings);

// The same, of an engine whose interval is a time.
// `number`: the setting that is the interval as a plain number.
void AddTimeRequest(const EngineRequest& request, JfrType event, const char* number,
                    EventSettings& settings);

}  // namespace jprof
