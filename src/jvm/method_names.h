// MethodNames holds the descriptions of the methods in a recording, by their ids.
//
// A method that was found in a stack by our own walker has a record: the handler that stored the
// stack has copied its names (sigsafe/stack/method_records.h), and Learn turns the record into a
// description.
//
// A method with a jmethodID comes from AsyncGetCallTrace or from JVMTI. Of copies its description
// from JVMTI, while a reference keeps the class of the method loaded (class_catalog.h). If the
// class has been unloaded already, the description comes from ShortLivedMethods. If the method is
// found nowhere, the description says "unloaded class" and the method is counted in unloaded().
// While the VM is out of reach (exit_watch.h), such a method gets no name.
//
// Bounded: a method is dropped if it occurs in no stack of the current or the previous chunk.
// Otherwise a program that keeps loading new classes would fill the memory.
//
// Used by one thread, which is attached to the JVM.
#pragma once

#include <jvmti.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/recently_used.h"
#include "jvm/class_catalog.h"
#include "jvm/method_info.h"
#include "sigsafe/stack/method_records.h"

namespace jprof {

class MethodNames {
 public:
  // `unsigned5_bias` is HotspotLayout::unsigned5_bias.
  MethodNames(jvmtiEnv* jvmti, JNIEnv* jni, const ClassCatalog& catalog, uint8_t unsigned5_bias)
      : jvmti_(jvmti), jni_(jni), catalog_(catalog), unsigned5_bias_(unsigned5_bias) {}

  // Returns the description of the method if it was made in this chunk; otherwise nullptr. A record
  // of the present epoch is to be preferred to a description of an earlier chunk: the lines of a
  // method can change if its class is redefined again and again.
  const MethodInfo* FindNew(uint64_t id) {
    const Held* held = methods_.Find(id);
    return held != nullptr && held->chunk == chunk_ ? &held->info : nullptr;
  }

  // Holds the description of the method in `record`, and returns it. Replaces the description of an
  // earlier chunk.
  const MethodInfo& Learn(const MethodRecord& record);

  // Returns the description of the method with this id. The reference is valid until the next call
  // of Learn.
  const MethodInfo& Of(uint64_t id);

  // Keeps the description of the method, if there is one, for this chunk and the next chunk.
  void Keep(uint64_t id) { methods_.Find(id); }

  void BeginChunk() {
    ++chunk_;
    methods_.BeginGeneration();
    classes_.BeginGeneration();
  }

  size_t size() const { return methods_.size(); }

  // Returns the number of methods whose names are lost, because they could not be read, or because
  // the class was unloaded before.
  uint64_t unloaded() const { return unloaded_; }

 private:
  struct Held {
    MethodInfo info;
    uint64_t chunk;  // in which the description was made
  };

  MethodInfo Capture(uint64_t id);
  const MethodInfo& Unread();
  std::shared_ptr<const ClassInfo> ClassOf(const ClassRecord& record);

  jvmtiEnv* const jvmti_;
  JNIEnv* const jni_;
  const ClassCatalog& catalog_;
  const uint8_t unsigned5_bias_;
  // A generation is a chunk.
  RecentlyUsed<uint64_t, Held> methods_;                              // keyed by id
  RecentlyUsed<uint64_t, std::shared_ptr<const ClassInfo>> classes_;  // keyed by number
  std::unique_ptr<const MethodInfo> unread_;  // returned while the VM is out of reach
  uint64_t chunk_ = 0;
  uint64_t unloaded_ = 0;
};

}  // namespace jprof
