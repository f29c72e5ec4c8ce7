// WatchedThreads keeps the threads that the recording's filter selects, and reads the exact
// counters of the bytes that these threads have allocated. When a thread ends, its counter is read
// on the thread itself. The counters of all running threads can be read at any time.
//
// AllocatedBytes reads one counter. BytesReading has the counters of threads as of one moment.
//
// Thread-safe; not for handlers. Lock order: the lock of ThreadRegistry, then the lock of
// WatchedThreads.
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

// AllocatedBytes reads the VM's own count of the bytes that a thread has allocated in the heap.
//
// Not for handlers.
class AllocatedBytes {
 public:
  explicit AllocatedBytes(const HotspotLayout& layout) : layout_(layout) {}

  // True if this JVM exports the counters.
  bool are_known() const { return layout_.thread_allocated_bytes.exists(); }

  // Returns the bytes that a thread has allocated since its start. The number is exact if the
  // function is called on the thread itself. Otherwise it is the number at some moment during the
  // call. REQUIRES: are_known(); the thread stays attached during the call.
  uint64_t Of(const void* jni_env) const;

  // True if the calling thread has allocated the object outside of its TLAB. `object` is a local
  // reference to an object that was just allocated.
  bool IsOutsideTlab(const void* jni_env, const void* object) const;

 private:
  const HotspotLayout& layout_;
};

// The exact counter of a thread.
struct ThreadBytes {
  uint32_t number;  // number of the thread, from its attachment to its end; > 0
  SampledThread thread;
  uint64_t address;         // address of the JNIEnv, which determines the thread's first gap
  uint64_t bytes;           // bytes since the thread's start
  uint32_t key = 0;         // key of the thread in the open chunk; 0 if not looked up
  bool is_carrier = false;  // true if a sample was taken in a virtual thread that it carried
};

// The exact counters of threads, as of one moment.
struct BytesReading {
  Nanos time_ns = 0;
  std::vector<ThreadBytes> found;    // running threads that were found since the last reading
  std::vector<ThreadBytes> running;  // all running threads; empty in a result of TakeChanges
  std::vector<ThreadBytes> ended;    // threads that have ended since the last reading
};

class WatchedThreads final : public ThreadListener {
 public:
  // Tells whether the first sample of a thread stands for other objects too, or only for its own
  // object.
  enum class FirstSamples : bool { kForOthers, kForThemselves };

  // `of_old_threads` applies to threads that are already running at Begin. The other arguments
  // outlive the object.
  WatchedThreads(ThreadRegistry& registry, const AllocatedBytes& counters, const RateBound& rate,
                 FirstSamples of_old_threads)
      : registry_(registry), counters_(counters), rate_(rate), first_samples_(of_old_threads) {}

  void Begin() { registry_.AddListener(this); }
  void End() { registry_.RemoveListener(this); }

  // The decision whether a thread takes a sample.
  struct Admission {
    uint32_t number;  // number of the thread (ThreadBytes); 0 if it takes no sample
    // The factor of the sample's gap (RateBound); 0 if the sample stands for no other object.
    uint16_t interval_factor;
  };
  // Decides whether the calling thread takes a sample. `serial` is ThreadSlot::serial; 0 without a
  // slot. The JVM has already drawn the gap (the bytes between two samples) to the thread's next
  // sample; `next_factor` is the factor of that gap. `is_carrier` is true if the thread runs a
  // virtual thread.
  Admission Admit(const void* jni_env, uint32_t serial, uint16_t next_factor, bool is_carrier);

  // Returns the bytes that all threads have allocated since Begin. For a thread that was found
  // later, only the bytes since it was found count.
  uint64_t Exact();

  // Returns the threads that were found or have ended since the last call to TakeChanges or Take.
  BytesReading TakeChanges();
  // Returns the threads that TakeChanges returns, and all running threads, as of one moment.
  BytesReading Take();

 private:
  static constexpr size_t kMostEnded = size_t{1} << 18;  // most ended threads between two drains

  // A thread from its attachment to the JVM until its end. It can have several slots one after
  // another.
  struct Attached {
    uint32_t number;
    uint16_t interval_factor;  // Admission::interval_factor of the thread's next sample
    bool is_carrier = false;
  };

  void OnThreadStart(ThreadSlot& thread, Observed observed) override;
  void OnThreadEnd(ThreadSlot& thread, const EndOfThread&) override;
  void OnJavaThreadStart(const void* jni_env) override;
  void OnJavaThreadEnd(const void* jni_env) override;
  // Returns the thread's counter; nullopt if the thread is not attached, or if the JVM exports no
  // counters.
  std::optional<ThreadBytes> Read(const ThreadSlot& thread);
  // Returns the thread's entry in attached_. If the thread has no entry, adds one with the present
  // factor. That factor is right for a thread that has just been created, because the VM draws the
  // first gap of a thread in the constructor of the thread object.
  Attached& AttachedBy(const void* jni_env);

  ThreadRegistry& registry_;
  const AllocatedBytes& counters_;
  const RateBound& rate_;
  const FirstSamples first_samples_;
  std::mutex mutex_;                                    // guards all below
  std::unordered_set<uint32_t> selected_;               // serials of the selected threads
  std::unordered_map<const void*, Attached> attached_;  // keyed by JNIEnv
  uint32_t last_number_ = 0;
  BytesReading changes_;
  uint64_t bytes_when_found_ = 0;  // bytes of threads when they were found
  uint64_t bytes_of_ended_ = 0;    // bytes of threads that have ended
};

}  // namespace jprof
