#include "support/jvm/samples.h"

#include <algorithm>
#include <iterator>

namespace jprof::test {
namespace {

bool IsSample(const Event& event) {
  return event.type == kExecutionSample || event.type == kWallClockSample;
}

std::string Problem(const Event& event) {
  if (event.Text("sampledThread.osThreadId").empty()) return "no thread";
  if (ThreadName(event) == kUnresolved) return "a thread without any name";
  if (event.Text("stackTrace.truncated").empty()) return "no stack trace";
  if (event.Text("state") == kUnresolved) return "no state";
  for (const Frame& frame : event.frames) {
    if (frame.method.find(kUnresolved) != std::string::npos) return "frame " + frame.method;
    if (frame.type.empty() || frame.type == "null") return "no type of frame " + frame.method;
  }
  return event.frames.empty() ? "an empty stack trace" : "";
}

}  // namespace

bool IsVirtual(const Event& sample) { return sample.Text("sampledThread.virtual") == "true"; }

std::string ThreadName(const Event& sample) {
  const std::string java_name = sample.Text("sampledThread.javaName");
  if (IsVirtual(sample)) return java_name;
  return java_name.empty() || java_name == kUnresolved ? sample.Text("sampledThread.osName")
                                                       : java_name;
}

std::vector<Event> SamplesOf(const Recording& recording, const std::string& type,
                             const std::string& name) {
  std::vector<Event> samples;
  std::copy_if(recording.events().begin(), recording.events().end(), std::back_inserter(samples),
               [&](const Event& event) { return event.type == type && ThreadName(event) == name; });
  return samples;
}

std::map<std::string, double> NanosByThread(const Recording& recording, const std::string& type,
                                            std::chrono::nanoseconds interval) {
  std::map<std::string, double> nanos;
  for (const Event& event : recording.events()) {
    if (event.type != type) continue;
    const int64_t intervals = type == kWallClockSample ? event.Number("samples") : 1;
    nanos[ThreadName(event)] += static_cast<double>(intervals * interval.count());
  }
  return nanos;
}

std::vector<std::string> UnresolvedReferences(const Recording& recording) {
  std::vector<std::string> problems;
  for (const Event& event : recording.events()) {
    const std::string problem = IsSample(event) ? Problem(event) : "";
    if (!problem.empty()) {
      problems.push_back(event.type + " of " + ThreadName(event) + ": " + problem);
    }
  }
  return problems;
}

}  // namespace jprof::test
