#include "formats/firefox/sample_roles.h"

#include <algorithm>
#include <string_view>

namespace jprof::firefox {
namespace {

using profile::SampleKind;
using profile::SampleUnit;

// Taken of running or all threads at intervals. Other kinds are events: markers.
constexpr std::string_view kSampledKinds[] = {"wall", "cpu", "cpu-time", "native"};

}  // namespace

SampleRoles::SampleRoles(const profile::Profile& profile, std::optional<uint32_t> chosen) {
  for (const std::string_view name : kSampledKinds) {
    for (uint32_t i = 0; i < profile.kinds.size(); ++i) {
      if (profile.kinds[i].name == name && profile.kinds[i].samples != 0) sampled.push_back(i);
    }
  }
  for (const uint32_t i : profile.KindsInOrder()) {
    const SampleKind& kind = profile.kinds[i];
    if (kind.unit == SampleUnit::kBytes && kind.samples != 0 && (!allocated || chosen == i)) {
      allocated = i;
    }
  }
  is_live = allocated && profile.kinds[*allocated].name == "live";
  if (!sampled.empty() || !chosen || chosen == allocated) return;
  // Nothing but events: their time, by stack.
  sampled.push_back(*chosen);
  if (profile.kinds[*chosen].unit == SampleUnit::kNanos) weight = Weight::kMillis;
}

}  // namespace jprof::firefox
