// TagNames: the keys of attributes in records of trace contexts
// (include/profiler/thread_context.h).
//
// One object per process: a key is never given to another name. Thread-safe, outside of handlers.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jprof {

class TagNames {
 public:
  static constexpr size_t kMaxNames = 256;  // a key is a byte

  static TagNames& OfProcess();

  // The key of the name, a new one if it has none; nullopt: all keys are given away.
  std::optional<uint8_t> KeyOf(std::string_view name);

  // By key.
  std::vector<std::string> All() const;

 private:
  TagNames() : names_{"local_root_span_id"} {}

  mutable std::mutex mutex_;
  std::vector<std::string> names_;  // guarded by mutex_
};

}  // namespace jprof
