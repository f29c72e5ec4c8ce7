#include "engines/method/call_report.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "base/scaled_text.h"
#include "chunks/class_constants.h"
#include "engines/method/traced_methods.h"
#include "jfr/writer/jfr_events.h"

namespace jprof {
namespace {

constexpr size_t kMostInSummary = 20;

// Stands for the time of a method whose calls are only counted. Readers of JFR take this value for
// a missing time (RecordedObject.getDuration in src/jdk.jfr/share/classes/jdk/jfr/consumer,
// jdk-17+35).
constexpr Nanos kMissingTime = std::numeric_limits<int64_t>::min();

std::string TimesText(const MethodCounts& counts) {
  return ", p50 " + RoundedDurationText(counts.Quantile(0.5)) + ", p99 " +
         RoundedDurationText(counts.Quantile(0.99)) + ", p99.9 " +
         RoundedDurationText(counts.Quantile(0.999)) + ", max " +
         RoundedDurationText(counts.longest_ns);
}

void WriteTiming(const MethodCounts& counts, uint32_t method_key, Nanos now_ns, JfrWriter& writer) {
  MethodTiming timing;
  timing.time_ns = now_ns;
  timing.method_key = method_key;
  timing.invocations = static_cast<int64_t>(counts.calls);
  if (!counts.is_timed) {
    timing.minimum_ns = timing.average_ns = timing.maximum_ns = kMissingTime;
  } else if (counts.calls != 0) {
    timing.minimum_ns = counts.shortest_ns;
    timing.average_ns = counts.total_ns / timing.invocations;
    timing.maximum_ns = counts.longest_ns;
  }
  writer.Append(timing);
}

void WriteCount(const MethodCounts& counts, uint32_t method_key, Nanos now_ns, JfrWriter& writer) {
  MethodCount count;
  count.time_ns = now_ns;
  count.method_key = method_key;
  count.calls = counts.calls;
  count.exceptions = counts.exceptions;
  writer.Append(count);
}

void WriteLatency(const MethodCounts& counts, uint32_t method_key, Nanos now_ns,
                  JfrWriter& writer) {
  const std::string histogram = counts.durations.Text();
  MethodLatency latency;
  latency.time_ns = now_ns;
  latency.method_key = method_key;
  latency.calls = counts.calls;
  latency.exceptions = counts.exceptions;
  latency.total_ns = counts.total_ns;
  latency.p50_ns = counts.Quantile(0.5);
  latency.p90_ns = counts.Quantile(0.9);
  latency.p99_ns = counts.Quantile(0.99);
  latency.p999_ns = counts.Quantile(0.999);
  latency.maximum_ns = counts.longest_ns;
  latency.histogram = histogram;
  writer.Append(latency);
}

}  // namespace

uint32_t MethodKey(uint32_t number, ConstantPools& pools) {
  const std::shared_ptr<const TracedMethod> method = TracedMethods::OfProcess().Find(number);
  if (method == nullptr) return 0;
  return pools.Method({ClassKey(*method->declaring, pools), method->name, method->descriptor,
                       method->modifiers, false});
}

std::vector<std::string> CallSummary(std::span<const CountedMethod> methods, uint64_t uncounted) {
  std::vector<const CountedMethod*> called;
  for (const CountedMethod& method : methods) {
    if (method.counts.calls != 0) called.push_back(&method);
  }
  const size_t silent = methods.size() - called.size();
  std::vector<std::string> lines;
  while (!called.empty() && lines.size() < kMostInSummary) {
    const auto next = std::ranges::max_element(called, {}, [](const CountedMethod* method) {
      return std::pair(method->counts.total_ns, method->counts.calls);
    });
    const auto& [number, counts] = **next;
    called.erase(next);
    const auto method = TracedMethods::OfProcess().Find(number);
    if (method == nullptr) continue;
    lines.push_back(method->Text() + ": " + std::to_string(counts.calls) + " calls, " +
                    std::to_string(counts.exceptions) + " ended by an exception" +
                    (counts.is_timed ? TimesText(counts) : ""));
  }
  if (!called.empty()) {
    lines.push_back("and " + std::to_string(called.size()) +
                    " methods that took less time: jdk.MethodTiming in the recording");
  }
  if (silent != 0) lines.push_back(std::to_string(silent) + " traced methods were not called");
  if (uncounted != 0) {
    lines.push_back("warning: at least " + std::to_string(uncounted) +
                    " calls are not counted: their thread's stack, or the heap, was full");
  }
  return lines;
}

std::vector<MethodCalls> CallsOf(std::span<const CountedMethod> methods) {
  std::vector<MethodCalls> calls;
  for (const auto& [number, counts] : methods) {
    const auto method = TracedMethods::OfProcess().Find(number);
    if (method == nullptr) continue;
    MethodCalls each{
        .calls = counts.calls, .exceptions = counts.exceptions, .name = method->Text()};
    if (counts.is_timed) {
      each.total_ns = counts.total_ns;
      each.p50_ns = counts.Quantile(0.5);
      each.p99_ns = counts.Quantile(0.99);
      each.longest_ns = counts.longest_ns;
    } else {
      each.total_ns = each.p50_ns = each.p99_ns = each.longest_ns = MethodCalls::kNotTimed;
    }
    calls.push_back(std::move(each));
  }
  return calls;
}

void WriteCalls(std::span<const CountedMethod> methods, Nanos now_ns, JfrWriter& writer) {
  for (const auto& [number, counts] : methods) {
    const uint32_t method_key = MethodKey(number, writer.pools());
    if (method_key == 0) continue;
    WriteTiming(counts, method_key, now_ns, writer);
    if (counts.calls == 0) continue;
    (counts.is_timed ? WriteLatency : WriteCount)(counts, method_key, now_ns, writer);
  }
}

}  // namespace jprof
