// VirtualThreadNames carries the names of virtual threads from handlers to the recorder.
//
// The JVM has no list of its virtual threads, so a name is read when the thread is sampled, and
// copied: nothing refers to the thread afterwards. The object is a hash table by id, in which each
// id has several possible places. If there is no free place for a name, this is counted, and the
// thread has no name until its next sample. The recorder takes the names ten times a second.
//
// Publish is async-signal-safe, and is called under the guard of CallTraceStorage, before the
// sample that needs the name is pushed. Take and TakeAll are called by one thread at a time.
//
// Handlers and the recorder change the id of a place, each in this order:
//
//   a handler     swaps 0 for kBusy (acquire); writes the name; stores the thread's id (release)
//   the recorder  loads the id (acquire); copies the name; stores 0 (release)
#pragma once

#include <atomic>
#include <cstdint>

#include "sigsafe/base/check.h"
#include "sigsafe/hotspot/virtual_thread.h"
#include "sigsafe/memory/region.h"

namespace jprof {

class VirtualThreadNames {
 public:
  static constexpr size_t kPlaces = 16384;
  static constexpr size_t kRegionSize = kPlaces * (sizeof(int64_t) + sizeof(ThreadNameBytes));

  // REQUIRES: a zeroed region of kRegionSize, aligned to 8, that outlives the object.
  explicit VirtualThreadNames(Region region)
      : ids_(static_cast<std::atomic<int64_t>*>(region.data)),
        names_(reinterpret_cast<ThreadNameBytes*>(ids_ + kPlaces)) {
    JPROF_CHECK(reinterpret_cast<uintptr_t>(region.data) % alignof(int64_t) == 0);
    JPROF_CHECK(region.size >= kRegionSize);
  }

  // True if the name of the thread `id` is found among the published names. The search stops at the
  // first free place. If that place was freed after the name was published, the name is not found
  // and is published again.
  bool Has(int64_t id) const {
    for (size_t i = 0; i < kTries; ++i) {
      const int64_t found = ids_[Place(id, i)].load(std::memory_order_relaxed);
      if (found == id) return true;
      if (found == 0) return false;
    }
    return false;
  }

  void Publish(int64_t id, const ThreadNameBytes& name) {
    for (size_t i = 0; i < kTries; ++i) {
      const size_t place = Place(id, i);
      int64_t free = 0;
      if (!ids_[place].compare_exchange_strong(free, kBusy, std::memory_order_acquire,
                                               std::memory_order_relaxed)) {
        continue;
      }
      names_[place] = name;
      ids_[place].store(id, std::memory_order_release);
      return;
    }
    refused_.fetch_add(1, std::memory_order_relaxed);
  }

  // Returns the number of names for which no place was free.
  uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

  // Calls visit(id, name) for each published name and frees its place.
  template <typename Visitor>
  void TakeAll(Visitor&& visit) {
    for (size_t place = 0; place < kPlaces; ++place) {
      const int64_t id = ids_[place].load(std::memory_order_acquire);
      if (id != 0 && id != kBusy) TakeAt(place, id, visit);
    }
  }

  // Calls visit(id, name) for the name of one thread, if it is published, and frees its place.
  template <typename Visitor>
  void Take(int64_t id, Visitor&& visit) {
    for (size_t i = 0; i < kTries; ++i) {
      const size_t place = Place(id, i);
      if (ids_[place].load(std::memory_order_acquire) == id) TakeAt(place, id, visit);
    }
  }

 private:
  static constexpr int64_t kBusy = -1;
  static constexpr size_t kTries = 16;

  static_assert(std::atomic<int64_t>::is_always_lock_free);

  template <typename Visitor>
  void TakeAt(size_t place, int64_t id, Visitor& visit) {
    visit(id, static_cast<const ThreadNameBytes&>(names_[place]));
    ids_[place].store(0, std::memory_order_release);
  }

  // Returns the place to try for `id` at attempt 0, 1 and so on. The JVM assigns ids in sequence,
  // so the first places of many ids form a run of taken places. Therefore further attempts are far
  // away from the first one, at places that depend on a hash of the id.
  static size_t Place(int64_t id, size_t attempt) {
    if (attempt == 0) return static_cast<size_t>(id) % kPlaces;
    constexpr size_t kStep = kPlaces / 3 | 1;
    const uint64_t hash = static_cast<uint64_t>(id) * 0x9e3779b97f4a7c15;
    return ((hash >> 32) + attempt * kStep) % kPlaces;
  }

  std::atomic<int64_t>* const ids_;
  ThreadNameBytes* const names_;
  std::atomic<uint64_t> refused_{0};
};

}  // namespace jprof
