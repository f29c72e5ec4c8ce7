// WatchedThreads: the threads that the recording's filter selects, and the exact counters of what
// they have allocated: read when a thread ends, on the thread itself, and of all at any time.
//
// Thread-safe; not for handlers. Locks: the registry's, then its own.
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

// AllocatedBytes: the VM's own count of what a thread has allocated in the heap, in bytes.
//
// Outside handlers.
class AllocatedBytes {
 public:
  explicit AllocatedBytes(const HotspotLayout& layout) : layout_(layout) {}

  // Whether this JVM exports the counters.
  bool are_known() const { return layout_.thread_allocated_bytes.exists(); }

  // Since the thread's start. Exact on the thread itself; of another thread, as of some moment of
  // the call. REQUIRES: are_known(); the thread stays attached during the call.
  uint64_t Of(const void* jni_env) const;

  // Whether the calling thread has allocated the object outside of its TLAB. `object`: a local
  // reference, just made.
  bool IsOutsideTlab(const void* jni_env, const void* object) const;

 private:
  const HotspotLayout& layout_;
};

// BytesReading: the exact counters of threads (watched_threads.h), as of one moment.
struct ThreadBytes {
  uint32_t number;  // of the thread, from its attachment to its end; > 0
  SampledThread thread;
  uint64_t address;         // of the VM's thread: its first gap depends on it
  uint64_t bytes;           // since the thread's start
  uint32_t key = 0;         // in the open chunk; 0: not looked up
  bool is_carrier = false;  // has been sampled in a virtual thread
};

struct BytesReading {
  Nanos time_ns = 0;
  std::vector<ThreadBytes> found;    // since the reading before: ran already
  std::vector<ThreadBytes> running;  // all, or empty
  std::vector<ThreadBytes> ended;    // since the reading before
};

class WatchedThreads final : public ThreadListener {
 public:
  // Whether the first sample of a thread stands for other objects, or for its own alone.
  enum class FirstSamples : bool { kForOthers, kForThemselves };

  // `of_old_threads`: of those that run already at Begin. All arguments outlive the object.
  WatchedThreads(ThreadRegistry& registry, const AllocatedBytes& counters, const RateBound& rate,
                 FirstSamples of_old_threads)
      : registry_(registry), counters_(counters), rate_(rate), first_samples_(of_old_threads) {}

  void Begin() { registry_.AddListener(this); }
  void End() { registry_.RemoveListener(this); }

  // The calling thread of a sample.
  struct Admission {
    uint32_t number;           // of the thread (ThreadBytes); 0: it is not selected
    uint16_t interval_factor;  // of its gap (RateBound); 0: it stands for its object alone
  };
  // `serial`: ThreadSlot::serial, 0 without a slot. `next_factor`: of the gap to the thread's
  // next sample, which the JVM has drawn already. `is_carrier`: the thread runs a virtual thread.
  Admission Admit(const void* jni_env, uint32_t serial, uint16_t next_factor, bool is_carrier);

  // The bytes that all threads have allocated since Begin, or since they were found.
  uint64_t Exact();

  // What has changed since the last call of either function; the second has all running threads.
  BytesReading TakeChanges();
  BytesReading Take();

 private:
  static constexpr size_t kMostEnded = size_t{1} << 18;  // between two drains

  // From its attachment to its end, whatever its slots.
  struct Attached {
    uint32_t number;
    uint16_t interval_factor;  // as Admission has it
    bool is_carrier = false;
  };

  void OnThreadStart(ThreadSlot& thread, Observed observed) override;
  void OnThreadEnd(ThreadSlot& thread, EndedBy) override;
  void OnJavaThreadStart(const void* jni_env) override;
  void OnJavaThreadEnd(const void* jni_env) override;
  // nullopt: not attached, or not known.
  std::optional<ThreadBytes> Read(const ThreadSlot& thread);
  // A thread that is not known yet has just been made: its first gap is drawn by its constructor.
  Attached& AttachedBy(const void* jni_env);

  ThreadRegistry& registry_;
  const AllocatedBytes& counters_;
  const RateBound& rate_;
  const FirstSamples first_samples_;
  std::mutex mutex_;                                    // guards all below
  std::unordered_set<uint32_t> selected_;               // by serial
  std::unordered_map<const void*, Attached> attached_;  // by JNIEnv
  uint32_t last_number_ = 0;
  BytesReading changes_;
  uint64_t before_ = 0;  // bytes of threads when they were found
  uint64_t ended_ = 0;   // bytes of those that have ended
};

}  // namespace jprof
