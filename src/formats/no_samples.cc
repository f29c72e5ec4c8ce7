#include "formats/no_samples.h"

#include <algorithm>

#include "base/no_samples_hint.h"

namespace jprof {
namespace {

// True if the agent made the recording but has not finished any chunk of it. Only recordings of the
// agent have requested events, and every finished chunk has libraries.
bool HasNoFinishedChunk(const profile::Profile& profile) {
  return profile.libraries.empty() &&
         std::ranges::any_of(profile.kinds, [](const auto& kind) { return kind.request != 0; }) &&
         std::ranges::all_of(profile.kinds, [](const auto& kind) { return kind.samples == 0; });
}

}  // namespace

std::string ExplainNoSamples(const profile::Profile& profile, const profile::SampleKind& kind) {
  if (HasNoFinishedChunk(profile)) return NoChunkHint(kind.name);
  return NoSamplesHint(kind.name, kind.interval_ns, profile.filter, profile.windows);
}

}  // namespace jprof
