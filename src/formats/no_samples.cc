#include "formats/no_samples.h"

#include <algorithm>

#include "base/no_samples_hint.h"

namespace jprof {
namespace {

// True if a recording of the agent (only the agent's recordings have requested events) has no
// finished chunk: neither samples nor the libraries that a finished chunk names.
bool HoldsOpeningOnly(const profile::Profile& profile) {
  return profile.libraries.empty() &&
         std::ranges::any_of(profile.kinds, [](const auto& kind) { return kind.request != 0; }) &&
         std::ranges::all_of(profile.kinds, [](const auto& kind) { return kind.samples == 0; });
}

}  // namespace

std::string ExplainNoSamples(const profile::Profile& profile, const profile::SampleKind& kind) {
  if (HoldsOpeningOnly(profile)) return NoChunkHint(kind.name);
  return NoSamplesHint(kind.name, kind.interval_ns, profile.filter, profile.windows);
}

}  // namespace jprof
