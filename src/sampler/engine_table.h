// MakeEngine, SampleEventsOfEngines: access to the engines of engines.def by the kind of their
// samples.
#pragma once

#include <memory>

#include "base/result.h"
#include "engines/engine.h"
#include "sigsafe/base/sample_kinds.h"

namespace jprof {

// Makes the engine for samples of `kind`, with its EngineFactory. REQUIRES: `options` enables the
// engine.
Result<std::unique_ptr<Engine>> MakeEngine(SampleKind kind, const Options& options,
                                           const EngineContext& context);

// Returns the events that the engines record, for the recorder.
const SampleEventsTable& SampleEventsOfEngines();

}  // namespace jprof
