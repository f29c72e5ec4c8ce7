#include "session/engine_table.h"

#include <algorithm>
#include <array>

namespace jprof {

// In the engines' folders.
#define JPROF_ENGINE_FACTORY(kind, make) \
  Result<std::unique_ptr<Engine>> make(const Options&, const EngineContext&);
#include "engines/engines.def"

namespace {

struct EngineRow {
  SampleKind kind;
  EngineFactory make;
};

constexpr auto kEngineRows = std::to_array<EngineRow>({
#define JPROF_ENGINE_FACTORY(kind, make) {SampleKind::kind, make},
#include "engines/engines.def"
});

constexpr size_t kEngineOptions = 0
#define JPROF_ENGINE(option, kind) +1
#include "session/options/options.def"
    ;
static_assert(kEngineRows.size() == kEngineOptions, "each engine of options.def has a row");

}  // namespace

Result<std::unique_ptr<Engine>> MakeEngine(SampleKind kind, const Options& options,
                                           const EngineContext& context) {
  return std::ranges::find(kEngineRows, kind, &EngineRow::kind)->make(options, context);
}

}  // namespace jprof
