#include "cli/time_option.h"

#include <string>

#include "options/duration.h"
#include "options/error_text.h"

namespace jprof {
namespace {

// A day less than the agent's longest timeout, which ends a recording without jprof.
constexpr Nanos kLongestTime = Nanos{364} * 24 * 3600 * kNanosPerSecond;

}  // namespace

Outcome<Nanos> TimeOption(const CommandLine& line, CliOption option) {
  const std::string text = line.Value(option);
  const std::string word = Quote("--" + std::string(NameOf(option)) + " " + text);
  const Result<Nanos> time = ParseDuration(text);
  if (!time) return Failure(FailureKind::kUsage, word + " " + time.error().message());
  if (time.value() <= 0) {
    return Failure(FailureKind::kUsage,
                   "--" + std::string(NameOf(option)) + " must be greater than 0");
  }
  if (time.value() > kLongestTime) {
    return Failure(FailureKind::kUsage, word + " is longer than a year");
  }
  return time.value();
}

}  // namespace jprof
