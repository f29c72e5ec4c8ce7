// ThreadInfo: the description of a thread in a recording, copied while the thread was alive.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sigsafe/base/types.h"

namespace jprof {

// The JVM's part; all strings are UTF-8.
struct JavaThreadInfo {
  std::string name;
  int64_t id = 0;                       // java.lang.Thread.threadId(); 0: not a Java thread
  std::vector<std::string> group_path;  // from the root group down; may be empty

  bool operator==(const JavaThreadInfo&) const = default;
};

struct ThreadInfo {
  uint32_t serial = 0;  // ProfiledThread::serial: the identity, for a tid is reused
  Tid tid{0};
  std::string os_name;  // the kernel's, at most 15 bytes
  JavaThreadInfo java;
};

}  // namespace jprof
