#include "engines/lock/wait_report.h"

#include <utility>

#include "base/duration_text.h"
#include "jfr/writer/jfr_events.h"

namespace jprof {

std::vector<std::string> WaitLines(const WaitSumsByType& all, Nanos interval_ns) {
  std::vector<std::string> lines;
  const auto add = [](std::string& line, const char* words, uint64_t ns) {
    line.append(words).append(RoundedDurationText(static_cast<int64_t>(ns)));
  };
  for (size_t i = 0; i < kWaitTypeCount; ++i) {
    const WaitSums& sums = all[i];
    if (sums.waits == 0) continue;
    std::string line(kWaitNames[i]);
    line.append(": ").append(std::to_string(sums.waits));
    add(line, " waits of ", sums.total_ns);
    add(line, " in all, longest ", sums.longest_ns);
    line.append("; ").append(std::to_string(sums.short_waits));
    add(line, " of them, ", sums.short_ns);
    line.append(", shorter than ").append(DurationText(interval_ns));
    lines.push_back(std::move(line));
  }
  return lines;
}

void WriteWaitCounters(const WaitSumsByType& all, Nanos now_ns, JfrWriter& writer) {
  for (size_t i = 0; i < kWaitTypeCount; ++i) {
    const WaitSums& sums = all[i];
    if (sums.waits == 0) continue;
    const struct {
      const char* name;
      uint64_t value;
    } counters[] = {{": waits", sums.waits},
                    {": ns", sums.total_ns},
                    {": ns, longest", sums.longest_ns},
                    {": waits below the threshold", sums.short_waits},
                    {": ns below the threshold", sums.short_ns}};
    for (const auto& counter : counters) {
      const std::string name = std::string(kWaitNames[i]) + counter.name;
      writer.Append(Counter{now_ns, name, counter.value});
    }
  }
}

}  // namespace jprof
