// SampledClasses gives a number to each class that occurs in the payload of samples.
//
// The payload of a sample of an allocation or of a lock contains the number of the object's class.
// The recorder resolves the number later, when the class may already have been unloaded. So the
// description of the class is copied when the class gets its number.
//
// Bounded: BeginGeneration divides the time into generations. A class that was neither sampled nor
// resolved in the current or the previous generation is removed. Numbers are not reused.
//
// Thread-safe. NumberOf is called on an attached thread that holds a reference to the class,
// outside signal handlers.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/recently_used.h"
#include "jvm/class_catalog.h"
#include "jvm/method_info.h"

namespace jprof {

class SampledClasses {
 public:
  // `ids` lives at least as long as this object.
  explicit SampledClasses(ClassCatalog& ids) : ids_(ids) {}

  // Keeps what is needed to name a method whose jmethodID is in a stack that JVMTI has just
  // returned.
  void NoteMethod(jvmtiEnv* jvmti, JNIEnv* jni, jmethodID method) {
    ids_.AddHolderOf(jvmti, jni, method);
  }

  // Returns the number of a class; numbers are greater than 0. Classes with equal descriptions have
  // the same number.
  uint32_t NumberOf(jvmtiEnv* jvmti, JNIEnv* jni, jclass sampled);

  // Returns the description of the class with this number; nullptr if the class has been removed.
  std::shared_ptr<const ClassInfo> Find(uint32_t number);

  // Starts a new generation. REQUIRES: a generation lasts at least as long as a sample takes to
  // reach the recorder.
  void BeginGeneration();

  // Returns the number of classes.
  size_t size() const;

 private:
  ClassCatalog& ids_;
  mutable std::mutex mutex_;                     // guards all below; not held in calls into the JVM
  RecentlyUsed<std::string, uint32_t> numbers_;  // keyed by IdentityOf the class
  RecentlyUsed<uint32_t, std::shared_ptr<const ClassInfo>> classes_;  // keyed by number
  uint32_t last_number_ = 0;
};

}  // namespace jprof
