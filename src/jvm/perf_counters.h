// PerfCounters: the numbers and texts that HotSpot keeps about itself for jstat, in its own memory
// (hsperfdata). The VM writes them while it runs; reading one is a load.
//
// Open, Names: any thread outside handlers. A place that Find returned is valid as long as the VM
// is, and may be read anywhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jprof {

class PerfCounters {
 public:
  // `memory`: VmStatics::perf_memory. Empty if it is not there (-XX:-UsePerfData) or has a form
  // that is not known.
  static PerfCounters Open(char* const* memory);

  // REQUIRES: `start` holds perf data in the form that Open accepts, `bytes` long.
  static PerfCounters Parse(const char* start, size_t bytes);

  // nullptr: there is none of that name and type.
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
