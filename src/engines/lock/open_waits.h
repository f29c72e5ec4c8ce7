// OpenWaits: the waits for monitors that have begun and not ended, by the id of the thread. A
// virtual thread has the same id on every carrier.
//
//   MonitorContendedEnter, MonitorWait ─▶ Begin      MonitorContendedEntered, MonitorWaited ─▶ End
//
// After its Object.wait a virtual thread can wait for the monitor again, which the JVM announces
// only at the end: that wait begins at the end of the first one, which EndAndRemember keeps.
//
// Begin, End and EndAndRemember are called on the waiting thread, in callbacks of the JVM, and take
// no lock. A hash table of fixed size; ids are assigned in sequence, so neighbours seldom collide.
// A thread's entry is changed by that thread alone, except an entry that is only remembered:
// another thread may take it.
#pragma once

#include <jni.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/wait_type.h"
#include "sigsafe/base/types.h"
#include "sigsafe/sampling/sample.h"

namespace jprof {

struct OpenWait {
  int64_t thread = 0;
  WaitType type = WaitType::kMonitorEnter;
  Nanos start_ns = 0;
  int64_t timeout = 0;
  SampledThread owner = {};  // owner of the monitor at the start; SampledThread(): not known
  jweak object = nullptr;    // nullptr: not known
};

class OpenWaits {
 public:
  static constexpr size_t kCapacity = 65536;  // a power of two; 3 MB of address space

  // Keeps the wait with its reference. If the table has no room, the wait's end will not be found.
  // Returns a reference that the caller owns now: that of this wait if there is no room, or that of
  // an earlier wait of the thread that has never ended; nullptr: none. REQUIRES: thread > 0; type
  // is not kPark.
  jweak Begin(const OpenWait& wait);

  // Ends the thread's wait of the type, and returns it; nullopt: no such wait has begun, or there
  // was no room for it. The caller owns the wait's reference.
  std::optional<OpenWait> End(int64_t thread, WaitType type);
  // Does the same as End, and keeps `now_ns` as the start of a wait to enter the monitor again.
  std::optional<OpenWait> EndAndRemember(int64_t thread, WaitType type, Nanos now_ns);

  // Forgets all waits. Calls release(object) for each reference. Callable on any thread. REQUIRES:
  // no wait begins or ends any more.
  template <typename Release>
  void Clear(Release&& release) {
    for (size_t place = 0; place < kCapacity; ++place) {
      const uint64_t key = keys_[place].load(std::memory_order_acquire);
      if (key == 0) continue;
      if (StateOf(key) >= kOpen) release(fields_[place].object.load(std::memory_order_relaxed));
      keys_[place].store(0, std::memory_order_relaxed);
    }
  }

  // Returns the number of waits that did not get a place. Their ends can still be announced.
  uint64_t without_place() const { return without_place_.load(std::memory_order_relaxed); }

  // Calls visit(wait) for each wait. Callable on any thread. REQUIRES: no wait begins or ends any
  // more.
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    for (size_t place = 0; place < kCapacity; ++place) {
      const uint64_t key = keys_[place].load(std::memory_order_acquire);
      if (StateOf(key) >= kOpen) visit(WaitAt(place, key));
    }
  }

 private:
  // The low bits of a key, below the thread's id. kOpen + type: a wait of the type has begun.
  enum State : uint64_t { kRemembered = 0, kBusy = 1, kOpen = 2 };
  static constexpr int kStateBits = 2;
  static constexpr size_t kTries = 16;
  static_assert(kOpen + static_cast<uint64_t>(WaitType::kMonitorWait) < 1 << kStateBits);

  struct Fields {
    std::atomic<Nanos> start_ns;
    std::atomic<int64_t> timeout;
    std::atomic<SampledThread> owner;
    std::atomic<jweak> object;
  };

  static uint64_t KeyOf(int64_t thread, uint64_t state) {
    return static_cast<uint64_t>(thread) << kStateBits | state;
  }
  static uint64_t StateOf(uint64_t key) { return key & ((1 << kStateBits) - 1); }
  static size_t PlaceOf(int64_t thread, size_t attempt) {
    return (static_cast<size_t>(thread) + attempt) % kCapacity;
  }
  OpenWait WaitAt(size_t place, uint64_t key) const;
  std::optional<OpenWait> Close(int64_t thread, WaitType type, uint64_t next_key, Nanos now_ns);
  // Puts the wait into the place. Returns false if another thread has taken the place. Sets `*left`
  // to the reference that Begin returns.
  bool Take(size_t place, uint64_t from, const OpenWait& wait, jweak* left);

  // The keys of the places; 0: a free place, as in zero pages. Stored with release after the
  // fields, loaded with acquire before them: a virtual thread can continue on another kernel
  // thread, and ForEach reads.
  std::unique_ptr<std::atomic<uint64_t>[]> keys_ =
      std::make_unique<std::atomic<uint64_t>[]>(kCapacity);
  std::unique_ptr<Fields[]> fields_ = std::make_unique<Fields[]>(kCapacity);  // relaxed: see keys_
  std::atomic<uint64_t> without_place_{0};  // relaxed: a plain counter
};

}  // namespace jprof
