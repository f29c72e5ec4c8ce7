// PerfCounters: the counters and texts that HotSpot keeps for jstat in its own memory (hsperfdata).
// The VM updates them while it runs; reading a counter is a single load.
//
// Open and Parse run on any thread, outside signal handlers. An address in the VM's memory that
// Number or Text returns is valid until the VM ends, and may be read on any thread and in signal
// handlers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jprof {

class PerfCounters {
 public:
  // Returns the counters of this process's VM. There are none if the VM has no perf data
  // (-XX:-UsePerfData) or perf data of an unknown version. `memory` is VmStatics::perf_memory.
  static PerfCounters Open(char* const* memory);

  // Returns the counters in the `bytes` bytes at `start`. There are none if these bytes are not
  // perf data of a version that Open accepts. REQUIRES: the bytes outlive the result.
  static PerfCounters Parse(const char* start, size_t bytes);

  // Returns the address of the counter's value, or of its NUL-terminated text; nullptr if there is
  // no counter with this name and type.
  const int64_t* Number(std::string_view name) const;
  const char* Text(std::string_view name) const;

 private:
  struct Counter {
    std::string name;
    bool is_text;
    const char* data;
  };

  const Counter* Find(std::string_view name) const;

  std::vector<Counter> counters_;
};

}  // namespace jprof
