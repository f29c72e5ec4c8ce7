#include "integration/context_census.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace jprof::test {
namespace {

using profile::JfrValue;

constexpr char kWorker[] = "worker-";
constexpr int kUnmarked = -1;
// Threads without a number: those of another name, such as carriers, and virtual threads whose name
// could not be read.
constexpr int64_t kOther = -1;
constexpr int64_t kNameless = -2;
constexpr uint64_t kMaxReportedFaults = 10;

// Same function as Contexts.mix.
int64_t Mix(int64_t span) {
  const auto bits = static_cast<uint64_t>(span);
  const uint64_t mixed = (bits ^ bits >> 32) * 0x9E3779B97F4A7C15ULL;
  return static_cast<int64_t>(mixed ^ mixed >> 29);
}

int64_t MarkerOfSpan(int64_t span) { return span & 15; }
int64_t ThreadOfSpan(int64_t span) { return span >> 4 & 0xfffffff; }
int64_t TurnOfSpan(int64_t span) { return span >> 32; }

}  // namespace

bool ContextCensus::Wants(const profile::RecordedType& type) {
  return type.name == "jdk.ExecutionSample";
}

void ContextCensus::BeginChunk(profile::JfrChunk&) {
  by_key_.clear();
  markers_.clear();
}

void ContextCensus::OnEvent(const profile::JfrEvent& event) {
  ++samples_;
  Thread& thread = ThreadOf(event.Field("sampledThread"));
  const int64_t span = event.Field("spanId").Long();
  if (span != 0) {
    if (event.Field("localRootSpanId").Long() != Mix(span)) Fault(torn_, "torn", event);
    if (thread.number != kNameless && ThreadOfSpan(span) != thread.number) {
      Fault(foreign_, "of another thread", event);
    }
    if (thread.number >= 0) {
      thread.turns.emplace_back(event.Field("startTime").Nanos(), TurnOfSpan(span));
    }
  }
  const int marker = MarkerOf(event.Field("stackTrace"));
  if (marker == kUnmarked) return;
  ++marked_;
  if (span == 0 && marker != 0) {
    ++missing_;
  } else if (MarkerOfSpan(span) != marker) {
    Fault(wrong_, "of another span", event);
  }
}

void ContextCensus::Fault(uint64_t& count, const char* what, const profile::JfrEvent& event) {
  if (++count > kMaxReportedFaults) return;
  faults_ += std::string(what) + ": " + std::to_string(event.Field("spanId").Long()) + " on " +
             event.Field("sampledThread").Field("javaName").String() + '\n';
}

ContextCensus::Thread& ContextCensus::ThreadOf(const JfrValue& value) {
  const auto [entry, is_new] = by_key_.try_emplace(value.Key().value_or(0));
  if (!is_new) return *entry->second;
  const std::string name = value.Field("javaName").String();
  const auto [thread, is_first] = threads_.try_emplace(name);
  if (is_first) {
    const bool is_worker = name.starts_with(kWorker);
    thread->second.number = name.empty() ? kNameless
                            : is_worker  ? std::atoll(name.c_str() + sizeof kWorker - 1)
                                         : kOther;
  }
  entry->second = &thread->second;
  return thread->second;
}

// Returns the N of the method spanN in a stack, 0 for the method none, kUnmarked for neither.
int ContextCensus::MarkerOf(const JfrValue& stack) {
  const auto [entry, is_new] = markers_.try_emplace(stack.Key().value_or(0), kUnmarked);
  if (!is_new) return entry->second;
  const JfrValue frames = stack.Field("frames");
  int marker = kUnmarked;
  for (uint64_t i = 0; i < frames.ElementCount(); ++i) {
    const JfrValue method = frames.Element(i).Field("method");
    const std::string name = method.Field("name").String();
    // A stack that could not be walked to its root can contain a stale frame.
    if (name.starts_with("[break")) return kUnmarked;
    if (marker != kUnmarked || method.Field("type").Field("name").String() != "Contexts") continue;
    if (name == "none") marker = 0;
    if (name.size() == 5 && name.starts_with("span")) marker = name.back() - '0';
    if (marker == kUnmarked || i + 1 == frames.ElementCount()) continue;
    const std::string caller = frames.Element(i + 1).Field("method").Field("name").String();
    if (caller != (marker == 0 ? "work" : marker == 4 ? "nested" : "call")) {
      ++wrong_callers_;
      faults_ += caller + " is no caller of " + name + "\n";
    }
  }
  entry->second = marker;
  return marker;
}

uint64_t ContextCensus::CountStale() {
  uint64_t stale = 0;
  for (auto& [name, thread] : threads_) {
    std::ranges::sort(thread.turns);
    for (size_t i = 1; i < thread.turns.size(); ++i) {
      stale += thread.turns[i].second < thread.turns[i - 1].second ? 1 : 0;
    }
  }
  return stale;
}

}  // namespace jprof::test
