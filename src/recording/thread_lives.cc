#include "recording/thread_lives.h"

#include <utility>

#include "recording/jfr/jfr_load_events.h"
#include "sigsafe/os/clock.h"

namespace jprof {

void ThreadLives::OnThreadStart(ProfiledThread& thread, Observed observed) {
  const bool was_there = thread.path.load(std::memory_order_relaxed) == PrimingPath::kScan;
  if (observed == Observed::kFromBirth && !was_there) Add(Change::kStart, thread);
}

void ThreadLives::OnThreadEnd(ProfiledThread& thread, EndedBy) { Add(Change::kEnd, thread); }

void ThreadLives::Add(Change change, const ProfiledThread& thread) {
  const Event event{change, MonotonicNanos(), thread.serial.load(std::memory_order_relaxed),
                    thread.tid.load(std::memory_order_relaxed)};
  const std::lock_guard lock(mutex_);
  events_.push_back(event);
}

std::vector<ThreadLives::Event> ThreadLives::Take() {
  std::vector<Event> events;
  {
    const std::lock_guard lock(mutex_);
    std::swap(events, events_);
  }
  std::erase_if(events, [this](const Event& event) {
    return registry_.Find(event.serial, event.tid)->java.id == 0;
  });
  return events;
}

void ThreadLives::WriteTo(JfrWriter& writer, ThreadConstants& threads) {
  for (const Event& event : Take()) {
    const uint32_t key = threads.KeyOf(event.serial, event.tid);
    if (event.change == Change::kStart) {
      writer.Append(ThreadStart{event.time_ns, key});
    } else {
      writer.Append(ThreadEnd{event.time_ns, key});
    }
  }
}

uint64_t ThreadLives::Drop() { return Take().size(); }

}  // namespace jprof
