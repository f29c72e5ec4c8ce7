// ShortLivedMethods: names of methods of classes that may be unloaded before their first sample is
// resolved.
//
// A method is named when the recorder meets it in a sample, a tenth of a second late at most, and
// stays named. Too late only for a class that is unloaded soon after its first sample; such classes
// live in class loaders of the program, or are hidden. Their names are copied from JVMTI when the
// class is prepared and kept for a moment; classes of the JVM's own loaders never go and are not
// copied.
//
// A program may make tens of thousands of such classes a second, so memory is used again: a copy
// that is freed by another thread than it was made by costs the C library more than the rest.
//
// Thread-safe: Add runs on the threads that load classes, the rest on the recorder's.
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
  // `methods`: those of `prepared`, which the caller holds. Does nothing for a class that stays.
  void Add(jvmtiEnv* jvmti, JNIEnv* jni, jclass prepared, const std::vector<jmethodID>& methods);

  // Searches all of them: only for a method that ClassCatalog does not find.
  std::optional<MethodInfo> Find(jmethodID method) const;

  // Forgets classes prepared more than a second ago: by now their methods were met, or will be met
  // while the class is there.
  void Expire(Nanos now_ns);

  void Clear();

 private:
  // A class with its methods, in as few pieces of memory as can be.
  class Copy {
   public:
    void Begin(const ClassTexts& texts);
    void Add(jmethodID method, const MethodTexts& texts);

    size_t bytes() const;  // of memory that it keeps
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

    ClassTexts class_;  // but for its texts
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
    // The least and the greatest of its ids, so that a search reads nothing else of most.
    jmethodID least;
    jmethodID greatest;
    std::unique_ptr<Copy> copy;
  };

  static constexpr size_t kMaxSpareBytes = 4 << 20;
  static constexpr size_t kMaxSpareCopyBytes = 16 << 10;

  std::unique_ptr<Copy> TakeSpare();

  mutable std::mutex mutex_;                  // guards all below
  std::deque<Entry> entries_;                 // oldest first
  std::vector<std::unique_ptr<Copy>> spare_;  // none once there have been no classes for a while
  size_t spare_bytes_ = 0;
};

}  // namespace jprof
