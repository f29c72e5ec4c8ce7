#include "recording/sample_events.h"

#include "sigsafe/base/check.h"

namespace jprof {
namespace {

constexpr const SampleEvents* kSampleEvents[] = {
#define SAMPLE_KIND(Id, name, unit, payload_bytes) &k##Id##SampleEvents,
#include "sigsafe/base/sample_kinds.def"
};

}  // namespace

const SampleEvents& EventsOf(SampleKind kind) {
  JPROF_CHECK(static_cast<size_t>(kind) < kSampleKindCount);
  return *kSampleEvents[static_cast<size_t>(kind)];
}

}  // namespace jprof
