// MakeEngine: the engines of engines.def, by the option that switches each one on.
#pragma once

#include <memory>

#include "base/result.h"
#include "engines/engine.h"

namespace jprof {

// Every engine, in the order in which they start, calls visit(id).
template <typename Visit>
void ForEachEngineId(Visit&& visit) {
#define JPROF_ENGINE_FACTORY(id, make) visit(EngineId::id);
#include "engines/engines.def"
}

// As EngineFactory. REQUIRES: `options` switches the engine on.
Result<std::unique_ptr<Engine>> MakeEngine(EngineId id, const Options& options,
                                           const EngineContext& context);

}  // namespace jprof
