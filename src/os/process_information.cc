#include "os/process_information.h"

#include <time.h>
#include <unistd.h>

#include <charconv>

#include "os/read_file.h"
#include "sigsafe/base/check.h"

namespace jprof {
namespace {

constexpr int64_t kNanosPerMilli = 1'000'000;

int64_t NowNanos(clockid_t clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

Result<int64_t> ParseStatField(std::string_view stat, int field) {
  JPROF_CHECK(field >= 3);
  // Field 2 is the name in parentheses, which can contain spaces and parentheses, so fields are
  // counted from the last ')'.
  size_t at = stat.rfind(')');
  for (int before = 2; at != std::string_view::npos && before < field; ++before) {
    at = stat.find(' ', at + 1);
  }
  if (at == std::string_view::npos) return Error("no field " + std::to_string(field));
  int64_t number = 0;
  const std::string_view text = stat.substr(at + 1);
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) {
    return Error("field " + std::to_string(field) + " is no number");
  }
  return number;
}

Result<int64_t> ParseStartTicks(std::string_view stat) {
  constexpr int kStartTimeField = 22;
  const Result<int64_t> ticks = ParseStatField(stat, kStartTimeField);
  if (!ticks) return Error("start time in /proc/self/stat: " + ticks.error().message());
  return ticks;
}

Result<int64_t> ProcessStartEpochMs() {
  Result<std::string> stat = ReadFile("/proc/self/stat");
  if (!stat.ok()) return stat.error();
  Result<int64_t> ticks = ParseStartTicks(stat.value());
  if (!ticks.ok()) return ticks.error();
  const int64_t boot_ms = (NowNanos(CLOCK_REALTIME) - NowNanos(CLOCK_BOOTTIME)) / kNanosPerMilli;
  // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): a variant that was moved
  return boot_ms + ticks.value() * 1000 / sysconf(_SC_CLK_TCK);
}

std::vector<std::string> ParseCommandLine(std::string_view cmdline) {
  std::vector<std::string> arguments;
  while (!cmdline.empty()) {
    const size_t end = cmdline.find('\0');
    arguments.emplace_back(cmdline.substr(0, end));
    if (end == std::string_view::npos) break;
    cmdline.remove_prefix(end + 1);
  }
  return arguments;
}

Result<std::vector<std::string>> ProcessArguments() {
  Result<std::string> cmdline = ReadFile("/proc/self/cmdline");
  if (!cmdline.ok()) return cmdline.error();
  return ParseCommandLine(cmdline.value());
}

}  // namespace jprof
