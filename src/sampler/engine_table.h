// The engines of engines.def, by the kind of their samples.
#pragma once

#include <memory>

#include "base/result.h"
#include "engines/engine.h"
#include "sigsafe/base/sample_kinds.h"

namespace jprof {

// As EngineFactory. REQUIRES: `options` switches the engine on.
Result<std::unique_ptr<Engine>> MakeEngine(SampleKind kind, const Options& options,
                                           const EngineContext& context);

// For the recorder.
const SampleEventsTable& SampleEventsOfEngines();

}  // namespace jprof
