// OpenWaits holds the waits that have begun and not ended: waits to enter a monitor, and waits for
// a notification. Its key is the id of the waiting thread, because a virtual thread keeps its id on
// every carrier.
//
//   MonitorContendedEnter, MonitorWait ─▶ Begin      MonitorContendedEntered, MonitorWaited ─▶ End
//
// When the Object.wait of a virtual thread ends, the thread sometimes has to wait again, to enter
// the monitor. The JVM sends an event only at the end of this second wait. The second wait begins
// when the Object.wait ends. So EndAndRemember keeps the time at which the Object.wait ended, and
// the End of the second wait uses it as the start.
//
// Begin, End and EndAndRemember are called on the waiting thread, in callbacks of the JVM, and take
// no lock. The waits are in a hash table of fixed size. Ids are assigned in sequence, so two
// threads seldom want the same place. Only the waiting thread changes its entry, with two
// exceptions: another thread may take over an entry that only remembers a time, and one thread, the
// looker (holder_looks.h), adds the stacks of the threads that hold the monitors.
#pragma once

#include <jni.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/wait_type.h"
#include "engines/lock/wait_marks.h"
#include "sigsafe/base/types.h"
#include "sigsafe/sampling/sample.h"

namespace jprof {

// The thread that held a lock at a moment of a wait for the lock, and its stack at that moment.
struct HolderStack {
  SampledThread holder = {};
  CallTraceId trace = kNoCallTrace;  // kNoCallTrace if the stack is unknown
};

struct OpenWait {
  int64_t thread = 0;
  WaitType type = WaitType::kMonitorEnter;
  Nanos start_ns = 0;
  int64_t timeout = 0;
  SampledThread owner = {};  // owner when the wait began; SampledThread() if unknown
  jweak object = nullptr;    // object of the monitor; nullptr if unknown
  uint64_t monitor = 0;      // address of the ObjectMonitor; 0 if unknown
  HolderStack held = {};     // set by SetHolder during the wait
};

class OpenWaits {
 public:
  static constexpr size_t kCapacity = 65536;  // a power of two; 5 MB of address space

  // Stores the wait, and takes over its reference `object`. If the table has no room, does not
  // store the wait, and returns `wait.object`. If the entry of an earlier wait of the same thread
  // is replaced, because the end of that wait was never reported, returns the reference of the
  // earlier wait. Else returns nullptr. The caller has to delete the returned reference. REQUIRES:
  // thread > 0; type is not kPark.
  jweak Begin(const OpenWait& wait);

  // Removes and returns the thread's wait of the type; nullopt if no such wait is stored. The
  // caller owns the reference `object` of the result. If `type` is kMonitorEnter, also finds a
  // second wait whose start EndAndRemember has kept; the result then has no owner and no object.
  std::optional<OpenWait> End(int64_t thread, WaitType type);
  // Does the same as End, and keeps `now_ns` as the time at which the thread might have begun to
  // wait to enter the monitor again.
  std::optional<OpenWait> EndAndRemember(int64_t thread, WaitType type, Nanos now_ns);

  // --- for the looker

  // True if VisitAwaited would visit waits.
  bool IsAnyAwaited() const { return marks_.IsAnyMarked(); }
  // Calls visit(place, wait) for waits to enter a monitor whose address is known, until visit
  // returns false for all waits of a group of places: the group is visited again once another wait
  // begins there. A visited wait can end meanwhile.
  template <typename Visit>
  void VisitAwaited(Visit&& visit) {
    marks_.VisitMarked([&](size_t group) {
      bool is_awaited = false;
      for (size_t place = group * kGroup; place < (group + 1) * kGroup; ++place) {
        const uint64_t key = keys_[place].load(std::memory_order_acquire);
        if (StateOf(key) != kOpen + static_cast<uint64_t>(WaitType::kMonitorEnter)) continue;
        const OpenWait wait = WaitAt(place, key);
        if (wait.monitor != 0) is_awaited |= visit(place, wait);
      }
      return is_awaited;
    });
  }
  // True if the wait, which VisitAwaited has visited at `place`, goes on.
  bool GoesOn(size_t place, const OpenWait& wait) const {
    return keys_[place].load(std::memory_order_acquire) ==
               KeyOf(wait.thread, kOpen + static_cast<uint64_t>(wait.type)) &&
           fields_[place].start_ns.load(std::memory_order_relaxed) == wait.start_ns;
  }
  // Adds the holder to the wait that was visited at `place`. Has no effect on another wait that has
  // begun there meanwhile.
  void SetHolder(size_t place, const OpenWait& wait, const HolderStack& held);
  // Calls visit(trace) for the stacks that have been added to waits which go on.
  template <typename Visit>
  void VisitHolders(Visit&& visit) const {
    for (size_t place = 0; place < kCapacity; ++place) {
      const uint64_t key = keys_[place].load(std::memory_order_acquire);
      if (StateOf(key) < kOpen) continue;
      const OpenWait wait = WaitAt(place, key);
      if (wait.held.trace != kNoCallTrace) visit(wait.held.trace);
    }
  }

  // Forgets all waits. Calls release(object) for the object of each open wait; `object` can be
  // nullptr. Callable on any thread. REQUIRES: no wait begins or ends any more.
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
  // The state in the low bits of a key; the other bits are the thread's id. kOpen plus a WaitType
  // means that a wait of this type has begun. kBusy means that the fields are being written.
  // kRemembered means that the entry only remembers a time (EndAndRemember).
  enum State : uint64_t { kRemembered = 0, kBusy = 1, kOpen = 2 };
  static constexpr int kStateBits = 2;
  static constexpr size_t kTries = 16;
  static constexpr size_t kGroup = 64;  // places with a mark in common
  static_assert(kOpen + static_cast<uint64_t>(WaitType::kMonitorWait) < 1 << kStateBits);

  struct Fields {
    std::atomic<Nanos> start_ns;
    std::atomic<int64_t> timeout;
    std::atomic<SampledThread> owner;
    std::atomic<jweak> object;
    std::atomic<uint64_t> monitor;
    // The start of the wait to which the next two members belong; 0 while they are written. Stored
    // with release after them, and loaded with acquire before they are read. Only the looker writes
    // these three members.
    std::atomic<Nanos> held_for_ns;
    std::atomic<SampledThread> holder;
    std::atomic<CallTraceId> holder_trace;
  };

  static uint64_t KeyOf(int64_t thread, uint64_t state) {
    return static_cast<uint64_t>(thread) << kStateBits | state;
  }
  static uint64_t StateOf(uint64_t key) { return key & ((1 << kStateBits) - 1); }
  static size_t PlaceOf(int64_t thread, size_t attempt) {
    return (static_cast<size_t>(thread) + attempt) % kCapacity;
  }
  OpenWait WaitAt(size_t place, uint64_t key) const;
  // Does what End does. Afterwards the entry has the key `next_key` and the start `now_ns`.
  std::optional<OpenWait> Close(int64_t thread, WaitType type, uint64_t next_key, Nanos now_ns);
  // Stores the wait in the place if the key of the place is still `from`. Returns false if another
  // thread has changed the key. Sets `*left` to the reference that Begin returns.
  bool Take(size_t place, uint64_t from, const OpenWait& wait, jweak* left);

  // The keys of the places; 0 for a free place. A key is stored with release after the fields of
  // its place, and loaded with acquire before these fields are read. The order is needed because
  // the reader can run on another kernel thread than the writer: ForEach runs on any thread, and a
  // virtual thread can continue on another carrier.
  std::unique_ptr<std::atomic<uint64_t>[]> keys_ =
      std::make_unique<std::atomic<uint64_t>[]>(kCapacity);
  // Accesses are relaxed: keys_ orders them.
  std::unique_ptr<Fields[]> fields_ = std::make_unique<Fields[]>(kCapacity);
  WaitMarks marks_{kCapacity / kGroup};
  std::atomic<uint64_t> without_place_{0};  // relaxed: a plain counter
};

}  // namespace jprof
