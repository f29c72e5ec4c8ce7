// SampleRoles: in which table of the format the samples of each kind stand. Plain value.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "profile/profile.h"

namespace jprof::firefox {

enum class Weight : uint8_t { kSamples, kMillis };

struct SampleRoles {
  // `chosen`: the kind that is shown first.
  SampleRoles(const profile::Profile& profile, std::optional<uint32_t> chosen);

  // Kinds that are samples of threads: the first one in the threads of the process, each other one
  // in threads of a process of its own beside it.
  std::vector<uint32_t> sampled;
  Weight weight = Weight::kSamples;  // of the first one
  // The kind whose samples are allocations.
  std::optional<uint32_t> allocated;
  bool is_live = false;  // objects that were never freed
};

}  // namespace jprof::firefox
