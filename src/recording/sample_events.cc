#include "recording/sample_events.h"

#include <string>

#include "base/duration_text.h"

namespace jprof {
namespace {

constexpr const SampleEvents* kSampleEvents[] = {
#define SAMPLE_KIND(Id, name, unit, payload_bytes) &k##Id##SampleEvents,
#include "sigsafe/base/sample_kinds.def"
};

}  // namespace

const SampleEvents& EventsOf(SampleKind kind) { return *kSampleEvents[static_cast<size_t>(kind)]; }

void AddKindSettings(SampleKind kind, JfrType event, const char* number, const RecordingPlan& plan,
                     EventSettings& settings) {
  const KindSettings& own = plan.samples[kind];
  settings.Enable(event);
  settings.Set(event, "period", DurationText(own.interval));
  settings.Set(event, number, std::to_string(own.interval));
  settings.Set(event, "request", std::to_string(own.place));
  if (!plan.filter.empty()) settings.Set(event, "filter", plan.filter);
}

}  // namespace jprof
