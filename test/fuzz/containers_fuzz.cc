// libFuzzer target: whatever the bytes of a container runtime's state file are, jprof does not
// crash, and the parsers agree on which texts are JSON.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "attach/container_state.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(data, data + size);
  const bool is_json = jprof::ParseOciConfig(text).ok();
  if (jprof::ParseDockerConfig(text).ok() != is_json) std::abort();
  const auto names = jprof::ParseStorageNames(text);
  if (names.ok() != is_json) std::abort();
  if (names) {
    for (const auto& [id, name] : names.value()) {
      if (id.empty()) std::abort();
    }
  }
  const auto pid = jprof::ParsePidFile(text);
  if (pid && *pid <= 0) std::abort();
  return 0;
}
