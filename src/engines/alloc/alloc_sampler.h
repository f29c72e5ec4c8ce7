// AllocSampler: makes the JVM pick objects as threads allocate them (JEP 331, JDK 11), and takes a
// sample of each. The callback runs on the allocating threads; the recorder's thread calls
// AdaptInterval, and the other functions are called one at a time.
#pragma once

#include <atomic>
#include <mutex>

#include "engines/alloc/live_objects.h"
#include "engines/alloc/rate_bound.h"
#include "engines/alloc/watched_threads.h"
#include "engines/engine.h"
#include "jvm/callback_thread.h"

namespace jprof {

class AllocSampler final : private JvmEventListener {
 public:
  // `live`: gets the sampled objects; nullptr: not requested. REQUIRES: `live` and the parts of
  // `context` outlive the object.
  AllocSampler(const EngineContext& context, const EngineRequest& request, bool is_bounded,
               LiveObjects* live);

  // Returns an Error if this JVM cannot sample allocations, or not for this agent.
  Status Check() const;
  Status Start();
  // Stops sampling: no further sample is started. Returns true if the JVM was sampling.
  bool StopSampling();
  // Ends the events. Returns false if a callback is still inside, as Engine::Stop does. REQUIRES:
  // StopSampling was called.
  bool End();

  bool is_sampling() const { return is_sampling_.load(std::memory_order_relaxed); }
  // Sets the JVM's interval to the one that the rate of samples calls for (RateBound). Called ten
  // times a second.
  void AdaptInterval();

  const AllocatedBytes& counters() const { return counters_; }
  const RateBound& rate() const { return rate_; }
  WatchedThreads& threads() { return threads_; }

 private:
  Status SetJvmInterval(int64_t bytes) const;
  void OnSampledObjectAlloc(jvmtiEnv* jvmti, JNIEnv* jni, jthread announced, jobject object,
                            jclass sampled, jlong object_bytes) override;

  const EngineContext context_;
  const int64_t interval_;
  const bool is_filtered_;
  const int release_;  // release of the JDK
  LiveObjects* const live_;
  const AllocatedBytes counters_;
  RateBound rate_;
  WatchedThreads threads_;
  const CallbackThread* callback_thread_ = nullptr;  // set before the first event
  JvmEvents::Subscription subscription_;
  std::mutex interval_mutex_;  // held while the JVM's interval changes or is_sampling_ is cleared
  // True while the JVM samples by our interval. relaxed: a callback that sees an old value is early
  // or late.
  std::atomic<bool> is_sampling_{false};
};

}  // namespace jprof
