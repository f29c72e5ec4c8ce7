#include "chunks/thread_lifecycle_events.h"

#include <unordered_set>
#include <utility>

#include "chunks/thread_constants.h"
#include "jfr/writer/jfr_events.h"
#include "sigsafe/os/clock.h"

namespace jprof {

void ThreadLifecycleEvents::OnThreadStart(ThreadSlot& thread, Observed observed) {
  const bool is_older = thread.path.load(std::memory_order_relaxed) == PrimingPath::kScan;
  if (observed == Observed::kFromBirth && !is_older) Add(Change::kStart, thread);
}

void ThreadLifecycleEvents::OnThreadEnd(ThreadSlot& thread, const EndOfThread&) {
  Add(Change::kEnd, thread);
}

void ThreadLifecycleEvents::Add(Change change, const ThreadSlot& thread) {
  const Event event{change, MonotonicNanos(), thread.serial.load(std::memory_order_relaxed),
                    thread.tid.load(std::memory_order_relaxed)};
  const std::lock_guard lock(mutex_);
  if (events_.size() < max_waiting_) {
    events_.push_back(event);
  } else {
    ++missed_;
    has_missed_ = true;
  }
}

std::vector<ThreadLifecycleEvents::Event> ThreadLifecycleEvents::Take() {
  std::vector<Event> events;
  bool has_missed = false;
  {
    const std::lock_guard lock(mutex_);
    std::swap(events, events_);
    std::swap(has_missed, has_missed_);
  }
  std::vector<uint32_t> serials;
  for (const Event& event : events) serials.push_back(event.serial);
  for (const auto& [serial, start] : native_starts_) serials.push_back(serial);
  const std::unordered_set<uint32_t> java = registry_.names().JavaThreadsAmong(serials);
  std::vector<Event> taken;
  for (const Event& event : events) {
    if (event.change == Change::kStart) {
      native_starts_.emplace(event.serial, event);
      continue;
    }
    const auto start = native_starts_.extract(event.serial);
    if (java.count(event.serial) == 0) continue;
    if (!start.empty()) taken.push_back(start.mapped());
    taken.push_back(event);
  }
  std::erase_if(native_starts_, [&](const auto& start) {
    if (java.count(start.first) == 0) return false;
    taken.push_back(start.second);
    return true;
  });
  if (has_missed) {  // the dropped events might include ends of native_starts_ threads
    const std::unordered_set<uint64_t> known = registry_.names().Known();
    std::erase_if(native_starts_, [&](const auto& start) { return known.count(start.first) == 0; });
  }
  return taken;
}

void ThreadLifecycleEvents::WriteClosing(JfrWriter& writer, Nanos now_ns) {
  if (const uint64_t count = missed(); count != 0) {
    writer.Append(Counter{now_ns, "starts and ends of threads not kept", count});
  }
}

uint64_t ThreadLifecycleEvents::missed() {
  const std::lock_guard lock(mutex_);
  return missed_;
}

void ThreadLifecycleEvents::BeforeSamples(OpenChunk& chunk) {
  for (const Event& event : Take()) {
    const uint32_t key = chunk.threads.KeyOf(event.serial, event.tid);
    if (event.change == Change::kStart) {
      chunk.writer.Append(
          ThreadStart{.time_ns = event.time_ns, .event_thread_key = key, .thread_key = key});
    } else {
      chunk.writer.Append(
          ThreadEnd{.time_ns = event.time_ns, .event_thread_key = key, .thread_key = key});
    }
  }
}

uint64_t ThreadLifecycleEvents::Forget() { return Take().size(); }

}  // namespace jprof
