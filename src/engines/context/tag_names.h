// TagNames gives each name of a tag a number, which is the key of the name. Records of trace
// contexts have keys in place of names. In the format of the records, a tag is called an attribute
// (include/profiler/thread_context.h).
//
// One object per process, so that a key is never given to another name. Thread-safe; not for signal
// handlers.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace jprof {

class TagNames {
 public:
  static constexpr size_t kMaxNames = 256;  // a key is a byte
  static constexpr size_t kMaxNameBytes = 128;

  static TagNames& OfProcess();

  // Returns the key of the name, and assigns one if the name has none. Returns nullopt if the name
  // is too long, or if it has no key and all keys are in use. Publishes a new name if Publish was
  // called before.
  std::optional<uint8_t> KeyOf(std::string_view name);

  // Publishes all names, and each new name from now on, for readers outside the process.
  Status Publish() const;

  // Returns all names; the index of a name is its key.
  std::vector<std::string> All() const;

 private:
  TagNames() : names_{"local_root_span_id"} {}

  mutable std::mutex mutex_;
  std::vector<std::string> names_;  // guarded by mutex_
};

}  // namespace jprof
