// SampledClasses: the classes that samples name, each by a number.
//
// A sample of an allocation or a lock is about an object of a class. Where the sample is taken the
// class is at hand, and its number goes into the payload; the recorder has the number, later, when
// the class may have been unloaded. So what a recording says of the class is copied when it gets
// its number.
//
// Bounded: a class that was not named in this generation or the one before is forgotten. Numbers
// are not used again.
//
// NumberOf: on any attached thread that holds the class, outside handlers. Thread-safe.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/recently_used.h"
#include "jvm/method_info.h"

namespace jprof {

class SampledClasses {
 public:
  // > 0. Classes of which a recording says the same have one number.
  uint32_t NumberOf(jvmtiEnv* jvmti, JNIEnv* jni, jclass sampled);

  // nullptr: it was named too long ago.
  std::shared_ptr<const ClassInfo> Find(uint32_t number);

  // At least as long as a sample is on its way.
  void BeginGeneration();

  // Classes that are known now. Open to tests.
  size_t size() const;

 private:
  mutable std::mutex mutex_;                     // guards all below; held without calls of the JVM
  RecentlyUsed<std::string, uint32_t> numbers_;  // by what JVMTI says of the class
  RecentlyUsed<uint32_t, std::shared_ptr<const ClassInfo>> classes_;  // by number
  uint32_t last_number_ = 0;
};

}  // namespace jprof
