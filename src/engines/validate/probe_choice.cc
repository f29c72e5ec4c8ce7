#include "engines/validate/probe_choice.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/wildcard.h"
#include "sigsafe/base/split_mix.h"

namespace jprof {
namespace {

// The classes whose methods change the identity of the running thread, or run between two
// identities: their entries and exits would be noted for different threads.
constexpr std::array<std::string_view, 4> kOfMounts = {
    "java/lang/VirtualThread*", "java/lang/BaseVirtualThread*", "java/lang/ThreadBuilders*",
    "jdk/internal/vm/*"};

constexpr std::string_view kConstructor = "<init>";

// Returns a random number in [0, 1) that depends only on the text.
double DrawFor(const std::string& text) {
  uint64_t state = 0;
  for (const char c : text) {
    state = SplitMix(state + kSplitMixStep + static_cast<unsigned char>(c));
  }
  return UniformOf(state);
}

}  // namespace

bool IsProbed(const TracedMethod& method, double share) {
  // The entry probe of a constructor comes after super(), so that frames of constructors stand
  // between the frames of methods that have called their entry probes.
  if (method.name == kConstructor) return false;
  const bool is_of_mount = std::ranges::any_of(kOfMounts, [&](std::string_view pattern) {
    return MatchesWildcards(pattern, method.declaring->name);
  });
  return !is_of_mount && DrawFor(method.Text()) < share;
}

}  // namespace jprof
