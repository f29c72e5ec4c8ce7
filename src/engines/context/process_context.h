// ProcessContext: the names of tags for readers outside of the process (OpenTelemetry's process
// context, OTEP 4719), so that they understand the records of otel_thread_ctx_v1 (OTEP 4947).
//
//   mapping "OTEL_CTX" │ header: signature, version, size, time, address │ payload A │ payload B │
//
// An update fills the payload that is not published; its time is 0 until it is complete. The
// mapping stays to the end of the process, and a child of fork does not have it. Thread-safe,
// outside of handlers.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"

namespace jprof {

class ProcessContext {
 public:
  static constexpr uint32_t kVersion = 2;
  // The schema that readers know today; `tls_v1` is to replace it.
  static constexpr char kSchema[] = "tlsdesc_v1_dev";

  static ProcessContext& OfProcess();

  // Publishes these names, by key; the first call makes the mapping. Fails, and publishes nothing,
  // if the process has such a mapping of somebody else.
  Status Publish(const std::vector<std::string>& names);

  // Publishes them if Publish has succeeded before.
  void Update(const std::vector<std::string>& names);

 private:
  struct Header;

  ProcessContext() = default;

  Status Map();
  Status Write(const std::vector<std::string>& names);

  std::mutex mutex_;
  Header* header_ = nullptr;  // guarded by mutex_; nullptr: not published
};

}  // namespace jprof
