// ProcessContext: publishes the names of tags for readers outside the process (OpenTelemetry's
// process context, OTEP 4719), so that they understand the records of otel_thread_ctx_v1 (OTEP
// 4947).
//
//   mapping "OTEL_CTX" │ header: signature, version, size, time, address │ payload A │ payload B │
//
// An update fills the payload that is not published; the header's time is 0 until the update is
// complete. The mapping stays to the end of the process. A forked child does not have the mapping.
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
  // The name of the schema of thread contexts. This one is what readers know today; OpenTelemetry
  // will replace it with `tls_v1`.
  static constexpr char kSchema[] = "tlsdesc_v1_dev";

  static ProcessContext& OfProcess();

  // Publishes `names`, where the index of a name is its key. The first call makes the mapping.
  // Fails if another library has such a mapping in this process, if the mapping cannot be made, or
  // if the names are too long together; then nothing is published.
  Status Publish(const std::vector<std::string>& names);

  // Publishes `names` as Publish does, but has no effect before Publish has made the mapping.
  void Update(const std::vector<std::string>& names);

 private:
  struct Header;

  ProcessContext() = default;

  // Makes the mapping and sets header_. REQUIRES: mutex_ is held, here and below.
  Status Map();
  // Writes the names and publishes them. REQUIRES: header_ is set.
  Status Write(const std::vector<std::string>& names);

  std::mutex mutex_;
  Header* header_ = nullptr;  // guarded by mutex_; nullptr: not published
};

}  // namespace jprof
