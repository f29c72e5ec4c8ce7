// ClassCatalog: which class each jmethodID belongs to, without keeping any class alive.
//
// A jmethodID may be read only while its class is loaded. The catalog notes the ids of every class
// when it is prepared, which also makes HotSpot create them: AsyncGetCallTrace cannot in a handler.
// Later, HolderOf turns an id into a reference that holds the class, or says that it has gone. A
// class costs a range or two of ids, each with a weak reference, not its names; once it has been
// unloaded, nothing.
//
// Thread-safe: Add runs on the threads that load classes, HolderOf and Expire on the recorder's,
// Clear once there is none. Only the last two delete references, and nobody else calls the JVM with
// the lock held: a debugger may stop a thread in there while others load classes.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "base/result.h"
#include "jvm/jvm_events.h"
#include "jvm/short_lived_methods.h"

namespace jprof {

class ClassCatalog final : public JvmEventListener {
 public:
  void OnClassPrepare(jvmtiEnv* jvmti, JNIEnv* jni, jthread, jclass prepared) override {
    Add(jvmti, jni, prepared);
  }

  void Add(jvmtiEnv* jvmti, JNIEnv* jni, jclass prepared);

  // All classes that are loaded now. Subscribe to ClassPrepare first, so that none falls between.
  Status AddLoaded(jvmtiEnv* jvmti, JNIEnv* jni);

  // A local reference to the class that declares `method`; nullptr when it has been unloaded or was
  // never seen. The id may be used as long as the reference is held.
  jclass HolderOf(JNIEnv* jni, jmethodID method) const;

  // Forgets everything, at the end of a session.
  void Clear(JNIEnv* jni);

  const ShortLivedMethods& short_lived() const { return short_lived_; }

  // Ranges that are noted now. Open to tests.
  size_t size() const;

  // Forgets the names of classes that are no longer young, and some of the classes that have been
  // unloaded: each is found in kSweepCalls calls. At every drain of the recorder's.
  void Expire(JNIEnv* jni, Nanos now_ns);

  static constexpr size_t kSweepCalls = 64;

 private:
  // Ids `first` to `last`, all of one class; HotSpot makes the ids of a class in a row.
  struct Range {
    uint64_t last;
    jweak holder;  // the range's own
  };
  // A range that Expire looks at.
  struct Swept {
    uint64_t first;
    jweak holder;
  };

  // The ids of the class's methods, noted.
  std::vector<jmethodID> Note(jvmtiEnv* jvmti, JNIEnv* jni, jclass prepared);
  void AddRanges(JNIEnv* jni, jclass prepared, std::vector<uint64_t> ids);
  const Range* RangeOf(uint64_t id) const;
  // Also takes dropped_.
  std::vector<Swept> NextToSweep(std::vector<jweak>* dropped);
  void EraseUnloaded(const std::vector<Swept>& unloaded, std::vector<jweak>* dropped);

  mutable std::mutex mutex_;          // guards all below
  std::map<uint64_t, Range> ranges_;  // by first id
  uint64_t swept_to_ = 0;             // the first id of the range that Expire looks at next
  std::vector<jweak> dropped_;        // by Add; in no range any more, to be deleted
  ShortLivedMethods short_lived_;     // has its own lock
};

}  // namespace jprof
