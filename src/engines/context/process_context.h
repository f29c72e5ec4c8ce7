// ProcessContext: publishes the names of tags for readers outside the process (OpenTelemetry's
// process context, OTEP 4719), so that they understand the records of otel_thread_ctx_v1 (OTEP
// 4947).
//
//   mapping "OTEL_CTX" │ header: signature, version, size, time, address │ payload A │ payload B │
//
// An update fills the payload that is not published; the header's time is 0 until the update is
// complete. The mapping stays to the end of the process, and a child of fork does not have it.
//
// Thread-safe; not for handlers.
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
  // The schema that readers know today; `tls_v1` will replace it.
  static constexpr char kSchema[] = "tlsdesc_v1_dev";

  static ProcessContext& OfProcess();

  // Publishes these names, by key; the first call makes the mapping. Fails, and publishes nothing,
  // if the process has such a mapping of another library.
  Status Publish(const std::vector<std::string>& names);

  // Publishes these names if Publish has made the mapping.
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
