#include "engines/engine.h"

#include "base/scaled_text.h"
#include "sigsafe/base/check.h"

namespace jprof {

EngineRequest RequestOf(const Options& options, SampleKind kind) {
  JPROF_CHECK(options.samples[kind].enabled());
  return {options.samples[kind], options.filter.text(), kind};
}

// Only jprof reads the settings `request` and `filter`.
void AddRequest(const EngineRequest& request, JfrType event, EventSettings& settings) {
  settings.AddKind(request.kind, request.samples.interval);
  settings.Enable(event);
  settings.Set(event, "request", std::to_string(request.samples.place));
  if (!request.filter.empty()) settings.Set(event, "filter", request.filter);
}

// The JDK's tools and JMC read the setting `period`; async-profiler's converter reads the plain
// number.
void AddTimeRequest(const EngineRequest& request, JfrType event, const char* number,
                    EventSettings& settings) {
  AddRequest(request, event, settings);
  settings.Set(event, "period", DurationText(request.samples.interval));
  settings.Set(event, number, std::to_string(request.samples.interval));
}

}  // namespace jprof
