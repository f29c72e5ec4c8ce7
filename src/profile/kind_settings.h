// TakeKindSetting: what jdk.ActiveSetting says of a kind of samples. Part of ReadSamples; no state.
#pragma once

#include <cstdint>
#include <string_view>

#include "profile/profile.h"

namespace jprof::profile {

// The interval: the event's `period`, or async-profiler's `interval`. The request: our own
// `request` and `filter`. True: the events repeat samples of another type, for readers that do not
// know that type.
bool TakeKindSetting(std::string_view name, std::string_view value, uint32_t kind,
                     Profile& profile);

}  // namespace jprof::profile
