#include "cli/method_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <utility>

#include "base/scaled_text.h"
#include "cli/words/json_object.h"

namespace jprof {
namespace {

uint64_t CallsPerSecond(uint64_t calls, Nanos elapsed_ns) {
  if (elapsed_ns <= 0) return 0;
  return static_cast<uint64_t>(
      std::llround(static_cast<double>(calls) * 1e9 / static_cast<double>(elapsed_ns)));
}

// EarlierCalls: the calls to each method up to the previous table.
class EarlierCalls {
 public:
  explicit EarlierCalls(const std::vector<MethodCalls>& before) {
    for (const MethodCalls& method : before) calls_[method.name] += method.calls;
  }

  uint64_t Since(const MethodCalls& method) const {
    const auto known = calls_.find(method.name);
    const uint64_t earlier = known == calls_.end() ? 0 : known->second;
    return method.calls > earlier ? method.calls - earlier : 0;
  }

 private:
  std::map<std::string_view, uint64_t> calls_;
};

// Returns the methods in the order of the table: by total time, then by calls, the most first.
std::vector<const MethodCalls*> InOrder(const std::vector<MethodCalls>& methods) {
  std::vector<const MethodCalls*> sorted;
  for (const MethodCalls& method : methods) sorted.push_back(&method);
  std::ranges::stable_sort(sorted, std::greater<>(), [](const MethodCalls* method) {
    return std::pair(method->total_ns, method->calls);
  });
  return sorted;
}

std::string TimeText(Nanos time_ns) { return time_ns < 0 ? "-" : RoundedDurationText(time_ns); }

}  // namespace

std::string MethodTableText(const std::vector<MethodCalls>& now,
                            const std::vector<MethodCalls>& before, Nanos elapsed_ns,
                            size_t width) {
  std::string text = "   calls/s        calls  exceptions       p50       p99       max  method\n";
  const EarlierCalls earlier(before);
  for (const MethodCalls* method : InOrder(now)) {
    const uint64_t more = earlier.Since(*method);
    char numbers[128];
    std::snprintf(numbers, sizeof numbers, "%10llu %12llu %11llu %9s %9s %9s  ",
                  static_cast<unsigned long long>(CallsPerSecond(more, elapsed_ns)),
                  static_cast<unsigned long long>(method->calls),
                  static_cast<unsigned long long>(method->exceptions),
                  TimeText(method->p50_ns).c_str(), TimeText(method->p99_ns).c_str(),
                  TimeText(method->longest_ns).c_str());
    std::string line = numbers + method->name;
    if (width != 0 && line.size() > width) line.resize(width);
    text += line + '\n';
  }
  return text;
}

std::string MethodsAsJson(const std::vector<MethodCalls>& now,
                          const std::vector<MethodCalls>& before, Nanos elapsed_ns) {
  const EarlierCalls earlier(before);
  std::vector<std::string> objects;
  for (const MethodCalls* method : InOrder(now)) {
    JsonObject object;
    const auto add_time = [&](std::string_view key, Nanos time_ns) {
      time_ns < 0 ? object.Null(key) : object.Number(key, static_cast<uint64_t>(time_ns));
    };
    object.Text("method", method->name);
    object.Number("calls", method->calls);
    object.Number("callsPerSecond", CallsPerSecond(earlier.Since(*method), elapsed_ns));
    object.Number("exceptions", method->exceptions);
    add_time("totalNs", method->total_ns);
    add_time("p50Ns", method->p50_ns);
    add_time("p99Ns", method->p99_ns);
    add_time("longestNs", method->longest_ns);
    objects.push_back(object.Done());
  }
  return JsonObject()
      .Number("elapsedNs", static_cast<uint64_t>(std::max<Nanos>(elapsed_ns, 0)))
      .Value("methods", JsonArray(objects))
      .Done();
}

}  // namespace jprof
