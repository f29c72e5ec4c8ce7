// PerfCounters: the counters and texts that HotSpot keeps for jstat in its own memory (hsperfdata).
// The VM updates them while it runs; reading one is a load.
//
// Open and Parse: any thread outside handlers. An address that Number or Text returned is valid as
// long as the VM, and may be read on any thread and in handlers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jprof {

class PerfCounters {
 public:
  // `memory`: VmStatics::perf_memory. No counters if the VM has no perf data (-XX:-UsePerfData) or
  // perf data of an unknown version.
  static PerfCounters Open(char* const* memory);

  // REQUIRES: `bytes` bytes of perf data at `start`, of a version that Open accepts.
  static PerfCounters Parse(const char* start, size_t bytes);

  // The address of the counter's value, or of its NUL-terminated text; nullptr: no counter with
  // this name and type.
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
