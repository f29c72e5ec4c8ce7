#include "formats/no_samples.h"

#include <algorithm>

#include "base/no_samples_hint.h"

namespace jprof {
namespace {

// Whether it is a recording of the agent, whose settings number the requested events, without the
// libraries that its first chunk with samples names.
bool HoldsOpeningOnly(const profile::Profile& profile) {
  return profile.libraries.empty() &&
         std::ranges::any_of(profile.kinds, [](const auto& kind) { return kind.request != 0; });
}

}  // namespace

std::string NoSamplesOf(const profile::Profile& profile, const profile::SampleKind& kind) {
  if (HoldsOpeningOnly(profile)) return NoChunkHint(kind.name);
  return NoSamplesHint(kind.name, kind.interval_ns, profile.filter, profile.windows);
}

}  // namespace jprof
