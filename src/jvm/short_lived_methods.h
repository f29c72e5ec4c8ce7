// ShortLivedMethods: the names of methods whose class may be gone before anybody asks.
//
// A method is named when the recorder meets it in a sample, a tenth of a second late at most, and
// stays named. Too late only for a class that is unloaded soon after its first sample; such classes
// live in class loaders of the program, or are hidden. Their names are copied when the class is
// prepared and kept for a moment; classes of the JVM's own loaders never go and cost nothing here.
//
// Thread-safe: Add runs on the threads that load classes, the rest on the recorder's.
#pragma once

#include <jvmti.h>

#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "jvm/method_info.h"
#include "sigsafe/base/types.h"

namespace jprof {

class ShortLivedMethods {
 public:
  // `methods`: those of `prepared`, which the caller holds. Does nothing for a class that stays.
  void Add(jvmtiEnv* jvmti, JNIEnv* jni, jclass prepared, const std::vector<jmethodID>& methods);

  std::optional<MethodInfo> Find(jmethodID method) const;

  // Forgets classes prepared more than a second ago: by now their methods were met, or will be met
  // while the class is there.
  void Expire(Nanos now_ns);

  void Clear();

 private:
  struct Batch {
    Nanos prepared_ns;
    std::vector<jmethodID> methods;
  };

  mutable std::mutex mutex_;   // guards all below
  std::deque<Batch> batches_;  // oldest first
  std::unordered_map<jmethodID, MethodInfo> methods_;
};

}  // namespace jprof
