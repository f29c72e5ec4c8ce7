// ClassCatalog: which class each jmethodID belongs to, without keeping any class alive.
//
// A jmethodID may be read only while its class is loaded. The catalog notes the ids of every class
// when it is prepared, which also makes HotSpot create them: AsyncGetCallTrace cannot in a handler.
// Later, HolderOf turns an id into a reference that holds the class, or says that it has gone. A
// class costs a weak reference and a range or two of ids, not its names.
//
// Thread-safe: Add runs on the threads that load classes, HolderOf on the recorder's.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "base/result.h"
#include "jvm/short_lived_methods.h"

namespace jprof {

class ClassCatalog {
 public:
  // From ClassPrepare.
  void Add(jvmtiEnv* jvmti, JNIEnv* jni, jclass prepared);

  // All classes that are loaded now. Enable ClassPrepare first, so that none falls between.
  Status AddLoaded(jvmtiEnv* jvmti, JNIEnv* jni);

  // A local reference to the class that declares `method`; nullptr when it has been unloaded or was
  // never seen. The id may be used as long as the reference is held.
  jclass HolderOf(JNIEnv* jni, jmethodID method) const;

  // Forgets everything, at the end of a session.
  void Clear(JNIEnv* jni);

  const ShortLivedMethods& short_lived() const { return short_lived_; }

  // Forgets the names of classes that are no longer young. Now and then, by the recorder.
  void Expire(Nanos now_ns) { short_lived_.Expire(now_ns); }

 private:
  // Ids `first` to `last`, all of one class; HotSpot makes the ids of a class in a row.
  struct Range {
    uint64_t last;
    jweak holder;
  };

  // The ids of the class's methods, noted; empty if there are none or they are noted already.
  std::vector<jmethodID> Note(jvmtiEnv* jvmti, JNIEnv* jni, jclass prepared);
  void AddRanges(std::vector<uint64_t> ids, jweak holder);
  const Range* RangeOf(uint64_t id) const;

  mutable std::mutex mutex_;          // guards all below
  std::map<uint64_t, Range> ranges_;  // by first id
  std::vector<jweak> holders_;
  ShortLivedMethods short_lived_;  // has its own lock
};

}  // namespace jprof
