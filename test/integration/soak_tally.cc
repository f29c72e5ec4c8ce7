#include "integration/soak_tally.h"

#include <algorithm>
#include <string_view>

namespace jprof::test {
namespace {

using profile::JfrValue;

constexpr char kShort[] = "soak-";
constexpr char kOwnThread[] = "thread ";

}  // namespace

bool SoakTally::Wants(const profile::RecordedType& type) {
  static const std::set<std::string_view> wanted = {
      "jdk.ExecutionSample", "profiler.WallClockSample", "jdk.ThreadStart",
      "jdk.ThreadEnd",       "profiler.ProfilerTime",    "profiler.Counter"};
  return wanted.count(type.name) != 0;
}

void SoakTally::BeginChunk(profile::JfrChunk&) {
  ++chunks_;
  threads_.clear();
  is_lost_.clear();
}

void SoakTally::OnEvent(const profile::JfrEvent& event) {
  const std::string_view type = event.type().name;
  if (type == "jdk.ExecutionSample" || type == "profiler.WallClockSample") {
    OnSample(event, type == "jdk.ExecutionSample");
  } else if (type == "profiler.Counter") {
    counters_[event.Field("name").String()] = event.Field("value").Long();
  } else if (type == "profiler.ProfilerTime") {
    const std::string part = event.Field("part").String();
    if (part.starts_with(kOwnThread)) own_threads_[part] = event.Field("total").Nanos();
  } else {
    const Thread& thread = ThreadOf(event.Field("thread"));
    if (!thread.is_short) return;
    if (type == "jdk.ThreadEnd") {
      ++ended_;
      return;
    }
    ++started_;
    const auto id = static_cast<size_t>(thread.id);
    if (id >= has_started_.size()) has_started_.resize(std::max(id + 1, 2 * has_started_.size()));
    if (has_started_[id]) faults_.insert("started twice: " + thread.name);
    has_started_[id] = true;
  }
}

const SoakTally::Thread& SoakTally::ThreadOf(const JfrValue& value) {
  const auto [entry, is_new] = threads_.try_emplace(value.Key().value_or(0));
  Thread& thread = entry->second;
  if (!is_new) return thread;
  thread.name = value.Field("javaName").String();
  thread.id = value.Field("javaThreadId").Long();
  if (thread.name.empty()) thread.name = value.Field("osName").String();
  thread.is_short = thread.name.starts_with(kShort);
  if (thread.is_short && thread.name != kShort + std::to_string(thread.id)) {
    faults_.insert("the thread " + std::to_string(thread.id) + " is called " + thread.name);
  }
  // A new thread has the name of its creator until it gets its own.
  if (thread.id == 0 && thread.name.starts_with("starter-")) ++foreign_names_;
  if (thread.name.empty() || thread.name.starts_with("[")) {
    faults_.insert("a thread without a name: " + thread.name);
  }
  return thread;
}

void SoakTally::OnSample(const profile::JfrEvent& event, bool is_cpu) {
  const Thread& thread = ThreadOf(event.Field("sampledThread"));
  const int64_t weight = is_cpu ? 1 : event.Field("samples").Long();
  Intervals& sum = thread.is_short ? short_threads_ : others_[thread.name];
  (is_cpu ? sum.cpu : sum.wall) += weight;
  if (is_cpu) ++cpu_;
  if (IsLost(event.Field("stackTrace"))) lost_ += weight;
}

bool SoakTally::IsLost(const JfrValue& stack) {
  const auto [entry, is_new] = is_lost_.try_emplace(stack.Key().value_or(0), false);
  if (is_new) {
    const JfrValue method = stack.Field("frames").Element(0).Field("method");
    entry->second = method.Field("name").String().starts_with("[lost");
  }
  return entry->second;
}

}  // namespace jprof::test
