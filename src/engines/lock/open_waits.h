// OpenWaits: the waits for monitors that have begun and not ended, by the id of the thread, which
// is the same on every carrier of a virtual thread.
//
//   MonitorContendedEnter, MonitorWait ─▶ Begin      MonitorContendedEntered, MonitorWaited ─▶ End
//
// After its Object.wait a virtual thread may wait for the monitor again, which the JVM announces
// only at the end: that wait begins at the end of the first one, which EndAndRemember keeps.
//
// Begin, End, EndAndRemember: on the waiting thread, in callbacks of the JVM, without a lock. A
// hash table of fixed size; ids are given out in sequence, so neighbours seldom collide. A thread's
// entry is changed by that thread alone, but for entries that are only remembered: another thread
// may take these.
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
  SampledThread owner = {};  // of the monitor, at the begin; SampledThread(): not known
  jweak object = nullptr;    // nullptr: not known
};

class OpenWaits {
 public:
  static constexpr size_t kCapacity = 65536;  // a power of two; 3 MB of address space

  // Keeps the wait with its reference. Where the table has no room, the wait's end will not be
  // found. Returns the reference that is the caller's now: that of this wait if there is no room,
  // or that of an earlier wait of the thread which has never ended; nullptr: none. REQUIRES: thread
  // > 0; type is not kPark.
  jweak Begin(const OpenWait& wait);

  // nullopt: no such wait has begun, or there was no room for it. The wait's reference is the
  // caller's.
  std::optional<OpenWait> End(int64_t thread, WaitType type);
  std::optional<OpenWait> EndAndRemember(int64_t thread, WaitType type, Nanos now_ns);

  // Forgets all. Calls release(object) for each reference. On any thread, once nothing begins or
  // ends any more.
  template <typename Release>
  void Clear(Release&& release) {
    for (size_t place = 0; place < kCapacity; ++place) {
      const uint64_t key = keys_[place].load(std::memory_order_acquire);
      if (key == 0) continue;
      if (StateOf(key) >= kOpen) release(fields_[place].object.load(std::memory_order_relaxed));
      keys_[place].store(0, std::memory_order_relaxed);
    }
  }

  // The waits that did not get a place. Their ends may still be announced.
  uint64_t without_place() const { return without_place_.load(std::memory_order_relaxed); }

  // Calls visit(wait) for each. On any thread, once nothing begins or ends any more.
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    for (size_t place = 0; place < kCapacity; ++place) {
      const uint64_t key = keys_[place].load(std::memory_order_acquire);
      if (StateOf(key) >= kOpen) visit(WaitAt(place, key));
    }
  }

 private:
  // The low bits of a key, below the thread's id. kOpen + type: the wait has begun.
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
  // False: another thread has taken the place. `left`: as Begin returns it.
  bool Take(size_t place, uint64_t from, const OpenWait& wait, jweak* left);

  // 0: free. Release store after the fields, acquire load before: a virtual thread goes on on
  // another kernel thread, and ForEach reads. Zero pages are free places.
  std::unique_ptr<std::atomic<uint64_t>[]> keys_ =
      std::make_unique<std::atomic<uint64_t>[]>(kCapacity);
  std::unique_ptr<Fields[]> fields_ = std::make_unique<Fields[]>(kCapacity);  // relaxed, as above
  std::atomic<uint64_t> without_place_{0};  // relaxed: a plain counter
};

}  // namespace jprof
