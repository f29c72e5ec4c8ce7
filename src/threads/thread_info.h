// ThreadInfo: the description of a thread in a recording, copied while the thread was alive. A
// plain value: any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sigsafe/base/types.h"

namespace jprof {

// The part that comes from the JVM. All strings are UTF-8.
struct JavaThreadInfo {
  std::string name;
  int64_t id = 0;                       // java.lang.Thread.threadId(); 0: not a Java thread
  std::vector<std::string> group_path;  // names of thread groups, the root first; may be empty

  bool operator==(const JavaThreadInfo&) const = default;
};

struct ThreadInfo {
  uint32_t serial = 0;  // ThreadSlot::serial: unique, while a tid may be reused
  Tid tid{0};
  std::string os_name;  // the kernel's name of the thread, at most 15 bytes
  JavaThreadInfo java;
};

}  // namespace jprof
