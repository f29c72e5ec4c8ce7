// ClassCatalog finds the class of a jmethodID. It keeps a weak reference to each class.
// UnannouncedClasses determines when the JVM might have loaded classes without an event. The
// catalog lacks such classes until it lists the loaded classes again.
//
// A jmethodID may be read only while its class is loaded. If AsyncGetCallTrace walks the stacks,
// the catalog records the ids of every class when the class is prepared (AddLoaded,
// OnClassPrepare). For this it calls GetClassMethods, which also makes HotSpot create the ids;
// AsyncGetCallTrace cannot create ids in a signal handler. Our own walker needs no jmethodIDs, so
// the catalog then has only the classes of stacks that JVMTI has returned (AddHolderOf). Later,
// HolderOf returns a strong reference to the class of an id, or nullptr if the class has been
// unloaded.
//
// A loaded class costs one or two ranges of ids, each with a weak reference. An unloaded class
// costs nothing once Expire has swept its ranges. The catalog is bounded by the loaded classes, and
// by kMaxUnswept classes that are prepared between two calls of Expire. Further classes are not
// added; their methods are named as if the classes were unloaded.
//
// ClassCatalog is thread-safe: Add runs on the threads that load classes, HolderOf and Expire on
// the recorder's thread, Clear after that thread has exited. Only Expire and Clear delete
// references. Only Clear calls the JVM while it holds the lock: a debugger might suspend a thread
// inside the JVM, and the threads that load classes must not wait for that thread.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "base/perf_counters.h"
#include "base/result.h"
#include "jvm/jvm_events.h"
#include "jvm/short_lived_methods.h"
#include "sigsafe/base/types.h"

namespace jprof {

// Decides when the loaded classes must be listed because the JVM might have loaded some of them
// without JVMTI's events.
//
// JDK 21 to 23 post neither ClassFileLoadHook nor ClassPrepare for a class that is loaded while a
// virtual thread is being mounted, unmounted or passed to the timer of its sleep (jdk-21+35
// src/hotspot/share/prims/jvmtiExport.cpp, post_class_prepare: is_in_any_VTMS_transition). Examples
// are ThreadPoolExecutor$Worker and FutureTask, which are loaded when the first virtual thread
// sleeps. A part of the agent that keeps track of classes by these events lists the loaded classes
// again when IsDue returns true, and before it gives an answer that claims to be exact.
//
// Used outside signal handlers, by one thread at a time.
class UnannouncedClasses {
 public:
  // The shortest time between two lists of the loaded classes.
  static constexpr Nanos kSoon = 1'000'000'000;
  // After this time a list is due even if the JVM has counted no new class, because a class that
  // was loaded long ago might have been prepared without an event.
  static constexpr Nanos kAnyway = 10'000'000'000;

  // Makes an object for a JVM that announces all of its classes: IsDue is never true.
  UnannouncedClasses() = default;
  UnannouncedClasses(int jdk_release, const PerfCounters& counters);

  // True if this JVM can load classes without an event.
  bool MayExist() const { return may_exist_; }

  // True if the caller must list the loaded classes now. After a change of the JVM's count of
  // classes, two lists are due, because the JVM counts a class shortly before GetLoadedClasses
  // returns the class.
  bool IsDue(Nanos now_ns);

 private:
  int64_t Loaded() const;

  bool may_exist_ = false;
  const int64_t* loaded_ = nullptr;  // counter of the JVM; nullptr if it does not exist
  const int64_t* shared_ = nullptr;  // counter of classes from CDS; nullptr if it does not exist
  int64_t listed_ = 0;               // the count at the last list
  bool is_settled_ = false;          // true if the last list found the count unchanged
  Nanos last_ns_ = 0;
};

class ClassCatalog final : public JvmEventListener {
 public:
  static constexpr size_t kMaxUnswept = 1 << 20;

  explicit ClassCatalog(size_t max_unswept = kMaxUnswept) : max_unswept_(max_unswept) {}

  void OnClassPrepare(jvmtiEnv* jvmti, JNIEnv* jni, jthread, jclass prepared) override {
    Add(jvmti, jni, prepared);
  }

  void Add(jvmtiEnv* jvmti, JNIEnv* jni, jclass prepared);

  // Adds a method, so that HolderOf finds its class.
  void AddHolderOf(jvmtiEnv* jvmti, JNIEnv* jni, jmethodID method);

  // Adds all classes that are loaded now. REQUIRES: a subscription to ClassPrepare, so that no
  // class is prepared unseen between the list and the events.
  Status AddLoaded(jvmtiEnv* jvmti, JNIEnv* jni);

  // Makes AddUnannounced list the loaded classes when `unannounced` decides that a list is due.
  // Called once, before any recorder runs.
  void ExpectUnannounced(const UnannouncedClasses& unannounced) { unannounced_ = unannounced; }

  // Adds the classes that the JVM has loaded without an event. Does nothing if this JVM announces
  // all classes, or before AddLoaded. Lists the loaded classes always if `is_chunk_end`, else only
  // if UnannouncedClasses::IsDue returns true. Called on the recorder's thread.
  void AddUnannounced(jvmtiEnv* jvmti, JNIEnv* jni, Nanos now_ns, bool is_chunk_end);

  // Returns a local reference to the class that declares `method`; nullptr if the class has been
  // unloaded or was never added. JVMTI accepts `method` while the reference exists.
  jclass HolderOf(JNIEnv* jni, jmethodID method) const;

  // Removes all classes. Called when the sampler stops.
  void Clear(JNIEnv* jni);

  const ShortLivedMethods& short_lived() const { return short_lived_; }

  // Returns the number of ranges.
  size_t size() const;

  // Removes the names of classes that were prepared more than a second ago (short_lived_methods.h).
  // Also sweeps a part of the ranges: removes the ranges of unloaded classes from that part.
  // kSweepCalls calls sweep all ranges. The recorder calls Expire each time it drains samples, but
  // at most once a second while the heap is over half full.
  void Expire(JNIEnv* jni, Nanos now_ns);

  static constexpr size_t kSweepCalls = 64;

 private:
  // Consecutive ids of one class, from the key in ranges_ to `last`. A class has few ranges,
  // because HotSpot creates the ids of a class in a row.
  struct Range {
    uint64_t last;
    jweak holder;  // owned by the range
  };
  // A range that Expire checks.
  struct Swept {
    uint64_t first;
    jweak holder;
  };

  // Adds the ids of the class's methods, and returns them. An Error means that the JVM has no
  // memory for the ids, so some methods stay unnamed.
  Result<std::vector<jmethodID>> AddMethods(jvmtiEnv* jvmti, JNIEnv* jni, jclass prepared);
  Status AddRanges(JNIEnv* jni, jclass prepared, std::vector<uint64_t> ids);
  // Adds the loaded classes that `is_wanted` accepts.
  template <typename IsWanted>
  Status AddLoaded(jvmtiEnv* jvmti, JNIEnv* jni, IsWanted&& is_wanted);
  const Range* RangeOf(uint64_t id) const;
  // Returns the part of ranges_ that Expire checks next. Moves dropped_ to `dropped`.
  std::vector<Swept> NextToSweep(std::vector<jweak>* dropped);
  void EraseUnloaded(const std::vector<Swept>& unloaded, std::vector<jweak>* dropped);

  // If fewer than max_unswept_ classes have been added since the last call of Expire, counts one
  // more class and returns true. Otherwise returns false.
  bool HasRoom();

  const size_t max_unswept_;
  UnannouncedClasses unannounced_;  // used only by the recorder's thread
  // True from AddLoaded to Clear. relaxed: a list that comes too late is as good as one that comes
  // in time.
  std::atomic<bool> has_all_{false};
  mutable std::mutex mutex_;          // guards all below
  std::map<uint64_t, Range> ranges_;  // keyed by first id
  uint64_t swept_to_ = 0;             // the first id of the range that Expire checks next
  size_t unswept_ = 0;                // classes added by Add since the last Expire
  std::vector<jweak> dropped_;        // replaced references, deleted by Expire and Clear
  ShortLivedMethods short_lived_;     // has its own lock
};

}  // namespace jprof
