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

namespace jprof {

class ClassCatalog {
 public:
  // From ClassPrepare. A class that is there already, or not prepared, is left alone.
  void Add(jvmtiEnv* jvmti, JNIEnv* jni, jclass prepared);

  // All classes that are loaded now. Enable ClassPrepare first, so that none falls between.
  Status AddLoaded(jvmtiEnv* jvmti, JNIEnv* jni);

  // A local reference to the class that declares `method`; nullptr when it has been unloaded or was
  // never seen. The id may be used as long as the reference is held.
  jclass HolderOf(JNIEnv* jni, jmethodID method) const;

  // Forgets everything, at the end of a session.
  void Clear(JNIEnv* jni);

  size_t size() const;

 private:
  // Ids `first` to `last`, all of one class; HotSpot makes the ids of a class in a row.
  struct Range {
    uint64_t last;
    jweak holder;
  };

  void AddRanges(std::vector<uint64_t> ids, jweak holder);
  const Range* RangeOf(uint64_t id) const;

  mutable std::mutex mutex_;          // guards all below
  std::map<uint64_t, Range> ranges_;  // by first id
  std::vector<jweak> holders_;
};

}  // namespace jprof
