// OpenWaits: the waits for monitors that have begun and not ended. The key is the id of the thread,
// because a virtual thread keeps its id on every carrier.
//
//   MonitorContendedEnter, MonitorWait ─▶ Begin      MonitorContendedEntered, MonitorWaited ─▶ End
//
// At the end of its Object.wait a virtual thread can have to wait to enter the monitor again. The JVM
// sends an event only at the end of this second wait. It begins when the Object.wait ends, so
// EndAndRemember keeps that time until End asks for it.
//
// Begin, End and EndAndRemember are called on the waiting thread, in callbacks of the JVM, and take
// no lock. The table is a hash table of fixed size. Ids are assigned in sequence, so two threads
// seldom want the same place. Only the thread itself changes its entry; but an entry that merely
// remembers a time may be taken by another thread.
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
  SampledThread owner = {};  // owner when the wait began; SampledThread() if unknown
  jweak object = nullptr;    // object of the monitor; nullptr if unknown
};

class OpenWaits {
 public:
  static constexpr size_t kCapacity = 65536;  // a power of two; 3 MB of address space

  // Stores the wait and takes over its reference `object`. If the table has no room, the wait is not
  // stored, and End will not find it. Returns a reference that the caller has to delete, or nullptr:
  // `wait.object` if there was no room, or the reference of an earlier wait of the same thread whose
  // end was never reported. REQUIRES: thread > 0; type is not kPark.
  jweak Begin(const OpenWait& wait);

  // Removes and returns the thread's wait of the type; nullopt if no such wait is stored. The caller
  // owns the reference `object` of the result. For kMonitorEnter, a wait that EndAndRemember has kept
  // is returned too, without owner and object.
  std::optional<OpenWait> End(int64_t thread, WaitType type);
  // Does the same as End, and keeps `now_ns` as the time at which the thread might have begun to wait
  // to enter the monitor again.
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

  // Returns the number of waits for which the table had no room.
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
  // The low bits of a key; the other bits are the thread's id. kOpen + type: a wait of the type has
  // begun. kBusy: the fields are being written. kRemembered: see EndAndRemember.
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
  // Does what End does, and leaves the entry with the key `next_key` and the start `now_ns`.
  std::optional<OpenWait> Close(int64_t thread, WaitType type, uint64_t next_key, Nanos now_ns);
  // Stores the wait in the place, whose key was `from`. Returns false if another thread has changed
  // the key. Sets `*left` to the reference that Begin returns.
  bool Take(size_t place, uint64_t from, const OpenWait& wait, jweak* left);

  // The keys of the places; 0 for a free place. A key is stored with release after the fields of its
  // place, and loaded with acquire before they are read: by ForEach on any thread, and by a virtual
  // thread that continues on another kernel thread.
  std::unique_ptr<std::atomic<uint64_t>[]> keys_ =
      std::make_unique<std::atomic<uint64_t>[]>(kCapacity);
  std::unique_ptr<Fields[]> fields_ =
      std::make_unique<Fields[]>(kCapacity);  // relaxed: ordered by keys_
  std::atomic<uint64_t> without_place_{0};    // relaxed: a plain counter
};

}  // namespace jprof
