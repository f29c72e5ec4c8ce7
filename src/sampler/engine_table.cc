#include "sampler/engine_table.h"

#include <algorithm>
#include <array>

namespace jprof {

// The factories and the events of the engines are defined in the engines' folders.
#define JPROF_ENGINE_FACTORY(kind, make, events)                              \
  Result<std::unique_ptr<Engine>> make(const Options&, const EngineContext&); \
  extern const SampleEvents events;
#include "engines/engines.def"

namespace {

struct EngineRow {
  SampleKind kind;
  EngineFactory make;
  const SampleEvents* events;
};

constexpr auto kEngineRows = std::to_array<EngineRow>({
#define JPROF_ENGINE_FACTORY(kind, make, events) {SampleKind::kind, make, &events},
#include "engines/engines.def"
});

constexpr auto kSampleEvents = [] {
  SampleEventsTable::Rows rows = {};
  for (const EngineRow& row : kEngineRows) rows[static_cast<size_t>(row.kind)] = row.events;
  return rows;
}();

constexpr bool EachKindHasOneEngine() {
  for (size_t kind = 0; kind < kSampleKindCount; ++kind) {
    const auto id = static_cast<SampleKind>(kind);
    if (std::ranges::count(kEngineRows, id, &EngineRow::kind) != 1) return false;
  }
  return true;
}
static_assert(EachKindHasOneEngine());

constinit const SampleEventsTable g_sample_events(kSampleEvents);

}  // namespace

Result<std::unique_ptr<Engine>> MakeEngine(SampleKind kind, const Options& options,
                                           const EngineContext& context) {
  return std::ranges::find(kEngineRows, kind, &EngineRow::kind)->make(options, context);
}

const SampleEventsTable& SampleEventsOfEngines() { return g_sample_events; }

}  // namespace jprof
