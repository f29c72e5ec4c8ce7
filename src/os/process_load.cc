#include "os/process_load.h"

#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <string>

#include "os/process_information.h"
#include "os/read_file.h"
#include "os/task_list.h"

namespace jprof {
namespace {

Nanos NanosOf(const timeval& time) {
  return Nanos{time.tv_sec} * kNanosPerSecond + Nanos{time.tv_usec} * 1000;
}

// Returns the number after the spaces at `at`, and moves `at` past the number.
std::optional<uint64_t> TakeNumber(std::string_view text, size_t* at) {
  while (*at < text.size() && (text[*at] == ' ' || text[*at] == '\t')) ++*at;
  uint64_t number = 0;
  const auto [rest, status] = std::from_chars(text.data() + *at, text.data() + text.size(), number);
  if (status != std::errc()) return std::nullopt;
  *at = static_cast<size_t>(rest - text.data());
  return number;
}

// Returns the number after `key`, which is in kB, converted to bytes.
std::optional<int64_t> KilobytesAfter(std::string_view status, std::string_view key) {
  size_t at = status.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  at += key.size();
  const std::optional<uint64_t> number = TakeNumber(status, &at);
  if (!number) return std::nullopt;
  return static_cast<int64_t>(*number * 1024);
}

Nanos NanosOfTicks(int64_t ticks) {
  static const long per_second = sysconf(_SC_CLK_TCK);
  return ticks * (kNanosPerSecond / per_second);
}

}  // namespace

CpuTimes ProcessCpuTimes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);  // cannot fail for this process
  return {NanosOf(usage.ru_utime), NanosOf(usage.ru_stime)};
}

std::optional<CpuTimes> TaskCpuTimes(Tid tid) {
  constexpr int kUserTimeField = 14;
  constexpr int kSystemTimeField = 15;
  const std::string stat = TaskStat(tid);
  const Result<int64_t> user = ParseStatField(stat, kUserTimeField);
  const Result<int64_t> system = ParseStatField(stat, kSystemTimeField);
  if (!user || !system) return std::nullopt;
  return CpuTimes{NanosOfTicks(user.value()), NanosOfTicks(system.value())};
}

// The fields of schedstat are the time that the thread has run, the time that it has waited to run,
// and the number of times that it was given a processor (Linux
// Documentation/scheduler/sched-stats.rst). All are 0 if the kernel was built without these counts.
std::optional<RunQueueCounts> TaskRunQueue(Tid tid) {
  const std::string text = TaskSchedstat(tid);
  size_t at = 0;
  uint64_t fields[3] = {};
  for (uint64_t& field : fields) {
    const std::optional<uint64_t> number = TakeNumber(text, &at);
    if (!number) return std::nullopt;
    field = *number;
  }
  if (fields[2] == 0) return std::nullopt;
  return RunQueueCounts{static_cast<Nanos>(fields[1]), fields[2]};
}

// The fields are user, nice, system, idle, iowait, irq, softirq and steal (proc_stat(5)). Two more
// fields follow, whose times are included in user and nice.
std::optional<MachineTicks> ParseMachineTicks(std::string_view stat) {
  constexpr int kIdle = 3;
  constexpr int kIoWait = 4;
  constexpr int kStolen = 7;
  if (!stat.starts_with("cpu ")) return std::nullopt;
  size_t at = 4;
  MachineTicks ticks;
  for (int i = 0; i <= kStolen; ++i) {
    const std::optional<uint64_t> number = TakeNumber(stat, &at);
    if (!number) return std::nullopt;
    ticks.all += *number;
    if (i != kIdle && i != kIoWait) ticks.busy += *number;
  }
  return ticks;
}

std::optional<MachineTicks> ReadMachineTicks() {
  const Result<std::string> stat = ReadFile("/proc/stat");
  return stat ? ParseMachineTicks(stat.value()) : std::nullopt;
}

std::optional<ResidentSet> ParseResidentSet(std::string_view status) {
  const std::optional<int64_t> size = KilobytesAfter(status, "\nVmRSS:");
  const std::optional<int64_t> peak = KilobytesAfter(status, "\nVmHWM:");
  if (!size || !peak) return std::nullopt;
  return ResidentSet{*size, *peak};
}

std::optional<ResidentSet> ReadResidentSet() {
  const Result<std::string> status = ReadFile("/proc/self/status");
  return status ? ParseResidentSet(status.value()) : std::nullopt;
}

}  // namespace jprof
