// WatchedThreads: the threads that the recording's filter selects, and the exact counters of the
// bytes that they have allocated. A thread's counter is read when it ends, on the thread itself;
// the counters of all threads can be read at any time.
//
// AllocatedBytes: reads a counter. BytesReading: the counters of threads as of one moment.
//
// Thread-safe; not for handlers. WatchedThreads takes the registry's lock before its own.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engines/alloc/rate_bound.h"
#include "sigsafe/base/types.h"
#include "sigsafe/hotspot/hotspot_layout.h"
#include "sigsafe/sampling/sample.h"
#include "threads/thread_registry.h"

namespace jprof {

// AllocatedBytes: reads the VM's own count of the bytes that a thread has allocated in the heap.
//
// Not for handlers.
class AllocatedBytes {
 public:
  explicit AllocatedBytes(const HotspotLayout& layout) : layout_(layout) {}

  // True if this JVM exports the counters.
  bool are_known() const { return layout_.thread_allocated_bytes.exists(); }

  // Returns the bytes since the thread's start: exactly, if called on the thread itself; else as of
  // some moment of the call. REQUIRES: are_known(); the thread stays attached during the call.
  uint64_t Of(const void* jni_env) const;

  // True if the calling thread has allocated the object outside of its TLAB. `object`: a local
  // reference, to an object that was just made.
  bool IsOutsideTlab(const void* jni_env, const void* object) const;

 private:
  const HotspotLayout& layout_;
};

// The exact counter of a thread.
struct ThreadBytes {
  uint32_t number;  // number of the thread, from its attachment to its end; > 0
  SampledThread thread;
  uint64_t address;         // address in the VM's thread: the thread's first gap depends on it
  uint64_t bytes;           // bytes since the thread's start
  uint32_t key = 0;         // key of the thread in the open chunk; 0: not looked up
  bool is_carrier = false;  // true: a sample was taken in a virtual thread that it carried
};

// The exact counters of threads, as of one moment.
struct BytesReading {
  Nanos time_ns = 0;
  std::vector<ThreadBytes> found;    // threads found running since the reading before
  std::vector<ThreadBytes> running;  // all running threads, or none
  std::vector<ThreadBytes> ended;    // threads that have ended since the reading before
};

class WatchedThreads final : public ThreadListener {
 public:
  // The objects that the first sample of a thread stands for: others as well, or its own alone.
  enum class FirstSamples : bool { kForOthers, kForThemselves };

  // `of_old_threads`: for threads that run already at Begin. All arguments outlive the object.
  WatchedThreads(ThreadRegistry& registry, const AllocatedBytes& counters, const RateBound& rate,
                 FirstSamples of_old_threads)
      : registry_(registry), counters_(counters), rate_(rate), first_samples_(of_old_threads) {}

  void Begin() { registry_.AddListener(this); }
  void End() { registry_.RemoveListener(this); }

  // The answer to the thread of a sample.
  struct Admission {
    uint32_t number;           // number of the thread (ThreadBytes); 0: it is not selected
    uint16_t interval_factor;  // factor of the sample's gap (RateBound); 0: it stands for no other
  };
  // Returns whether, and with which gap, the calling thread takes a sample. `serial`:
  // ThreadSlot::serial; 0: no slot. `next_factor`: the factor of the gap to the thread's next
  // sample, which the JVM has drawn already. `is_carrier`: the thread runs a virtual thread.
  Admission Admit(const void* jni_env, uint32_t serial, uint16_t next_factor, bool is_carrier);

  // Returns the bytes that all threads have allocated since Begin, or since they were found.
  uint64_t Exact();

  // Returns the threads that were found or have ended since the last call to TakeChanges or Take.
  BytesReading TakeChanges();
  // Returns TakeChanges and all running threads, as of one moment.
  BytesReading Take();

 private:
  static constexpr size_t kMostEnded = size_t{1} << 18;  // most ended threads between two drains

  // A thread from its attachment to its end, whichever slots it has.
  struct Attached {
    uint32_t number;
    uint16_t interval_factor;  // Admission::interval_factor of its next sample
    bool is_carrier = false;
  };

  void OnThreadStart(ThreadSlot& thread, Observed observed) override;
  void OnThreadEnd(ThreadSlot& thread, EndedBy) override;
  void OnJavaThreadStart(const void* jni_env) override;
  void OnJavaThreadEnd(const void* jni_env) override;
  // Returns the thread's counter; nullopt if it is not attached, or the JVM exports no counters.
  std::optional<ThreadBytes> Read(const ThreadSlot& thread);
  // Returns the thread's entry, which is made for an unknown thread. Such a thread has just been
  // created: its constructor draws its first gap.
  Attached& AttachedBy(const void* jni_env);

  ThreadRegistry& registry_;
  const AllocatedBytes& counters_;
  const RateBound& rate_;
  const FirstSamples first_samples_;
  std::mutex mutex_;                                    // guards all below
  std::unordered_set<uint32_t> selected_;               // serials of the threads
  std::unordered_map<const void*, Attached> attached_;  // keyed by JNIEnv
  uint32_t last_number_ = 0;
  BytesReading changes_;
  uint64_t before_ = 0;  // bytes of threads when they were found
  uint64_t ended_ = 0;   // bytes of threads that have ended
};

}  // namespace jprof
