// ShortLivedMethods holds the names of methods. It is for methods whose classes might be unloaded
// before the recorder resolves the first samples with these methods.
//
// The recorder copies the name of a method when it resolves the first sample with that method, at
// most 100 ms after the sample was taken. This is too late if the class is unloaded sooner. Only
// hidden classes and classes of the program's own class loaders can be unloaded. When such a class
// is prepared, the names of its methods are copied here and kept for a second. The names of all
// other classes are not copied, because these classes are never unloaded.
//
// A program can define tens of thousands of short-lived classes a second. So the memory of copies
// is reused: memory that one thread allocates and another thread frees is the largest part of the
// cost of a copy.
//
// Bounded by the classes that are prepared within a second, by kMaxBytes if Expire is not called,
// and by kMaxSpareBytes of memory for reuse.
//
// Thread-safe: Add runs on the threads that load classes, the other functions on the recorder's
// thread.
#pragma once

#include <jvmti.h>

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "jvm/method_capture.h"
#include "jvm/method_info.h"
#include "sigsafe/base/types.h"

namespace jprof {

class ShortLivedMethods {
 public:
  // The maximum memory for names, in bytes. It holds the names of some 20,000 classes. The recorder
  // needs only those of classes that were prepared in the last 100 ms.
  static constexpr size_t kMaxBytes = 64 << 20;

  explicit ShortLivedMethods(size_t max_bytes = kMaxBytes) : max_bytes_(max_bytes) {}

  // Copies the names of the class `prepared` and of `methods`, which are all its methods. Does
  // nothing for a class that is never unloaded. REQUIRES: the caller holds a reference to
  // `prepared`.
  void Add(jvmtiEnv* jvmti, JNIEnv* jni, jclass prepared, const std::vector<jmethodID>& methods);

  // Returns the description of `method`; nullopt if it is not held. The search is linear, so it is
  // only for a method whose class ClassCatalog does not find.
  std::optional<MethodInfo> Find(jmethodID method) const;

  // Removes the classes that were prepared more than a second before `now_ns` (CLOCK_MONOTONIC).
  void Expire(Nanos now_ns);

  void Clear();

  // Returns the size of the memory for names, in bytes.
  size_t bytes() const;

 private:
  // The names of a class and its methods, in a few blocks of memory.
  class Copy {
   public:
    void Begin(const ClassTexts& texts);
    void Add(jmethodID method, const MethodTexts& texts);

    size_t bytes() const;  // size of the allocated memory
    std::optional<MethodInfo> Find(jmethodID method) const;

   private:
    // A part of texts_.
    struct Text {
      size_t at;
      size_t size;
    };
    struct Method {
      jmethodID id;
      Text name;
      Text descriptor;
      uint32_t modifiers;
      size_t first_line;
      size_t lines;
    };

    Text Keep(std::string_view text);
    std::string_view ViewOf(Text text) const;

    ClassTexts class_;  // only its modifiers, and whether it has a loader
    Text signature_{};
    Text source_file_{};
    Text loader_signature_{};
    Text loader_name_{};
    std::vector<Method> methods_;
    std::vector<jvmtiLineNumberEntry> lines_;
    std::string texts_;
  };

  struct Entry {
    Nanos prepared_ns;
    // The least and the greatest id of the class's methods. A search skips an entry whose range
    // does not contain the id.
    jmethodID least;
    jmethodID greatest;
    std::unique_ptr<Copy> copy;
  };

  static constexpr size_t kMaxSpareBytes = 4 << 20;
  static constexpr size_t kMaxSpareCopyBytes = 16 << 10;

  std::unique_ptr<Copy> TakeSpare();
  // Removes the oldest entry. Moves its copy to spare_ if the memory is to be reused, else to
  // `useless`.
  void DropOldest(std::vector<std::unique_ptr<Copy>>* useless);

  const size_t max_bytes_;
  mutable std::mutex mutex_;                  // guards all below
  std::deque<Entry> entries_;                 // oldest first
  size_t bytes_ = 0;                          // size of the copies in entries_
  std::vector<std::unique_ptr<Copy>> spare_;  // copies whose memory is reused
  size_t spare_bytes_ = 0;
};

}  // namespace jprof
