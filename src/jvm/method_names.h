// MethodNames holds the descriptions of the methods in a recording. It copies a description from
// JVMTI while a reference keeps the class of the method loaded.
//
// The recorder looks up each method of a sample a fraction of a second after the sample was taken;
// the copy stays valid when the class is unloaded later. If the class has been unloaded already,
// the description comes from ShortLivedMethods; if the method is found nowhere, the description
// says "unloaded class" and the method is counted in unloaded().
//
// A method that no class lists, mostly an old version that still runs, is described from the memory
// of the VM (method_memory.h). The VM's memory does not show the class loader of such a method. So
// if another description held here has a class with the same name, the new description gets that
// class.
//
// While the VM is out of reach (exit_watch.h), a method that has no description yet gets no name.
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
#include <optional>

#include "base/recently_used.h"
#include "jvm/class_catalog.h"
#include "jvm/method_info.h"
#include "jvm/method_memory.h"

namespace jprof {

class MethodNames {
 public:
  // `memory` is nullptr if the layout of the VM is not known.
  MethodNames(jvmtiEnv* jvmti, JNIEnv* jni, const ClassCatalog& catalog,
              const MethodMemory* memory = nullptr)
      : jvmti_(jvmti), jni_(jni), catalog_(catalog), memory_(memory) {}

  // Returns the description of `method`. The reference is valid until the end of the chunk.
  const MethodInfo& Of(jmethodID method);

  // Keeps the description of `method`, if there is one, for this chunk and the next chunk.
  void Keep(jmethodID method) { methods_.Find(method); }

  void BeginChunk() { methods_.BeginGeneration(); }

  size_t size() const { return methods_.size(); }

  // Returns the number of methods whose class was unloaded before their description was copied.
  uint64_t unloaded() const { return unloaded_; }

 private:
  MethodInfo Capture(jmethodID method);
  std::optional<MethodInfo> FromMemory(jmethodID method) const;
  const MethodInfo& Unread();

  jvmtiEnv* const jvmti_;
  JNIEnv* const jni_;
  const ClassCatalog& catalog_;
  const MethodMemory* const memory_;
  RecentlyUsed<jmethodID, MethodInfo> methods_;  // a generation is a chunk
  std::unique_ptr<const MethodInfo> unread_;     // returned while the VM is out of reach
  uint64_t unloaded_ = 0;
};

}  // namespace jprof
