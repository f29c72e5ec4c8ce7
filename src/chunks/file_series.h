// FileSeries: the finished files of a recording with several files, and their removal by age and
// size.
//
// Whole files are removed, the oldest first. If another file has taken the place of a file of the
// series, the other file is kept. Used by one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "base/output_place.h"
#include "sigsafe/base/types.h"

namespace jprof {

class FileSeries {
 public:
  struct Limits {
    Nanos max_age_ns = 0;   // counted from the end of a file; 0: no limit
    int64_t max_bytes = 0;  // size of all files together; 0: no limit
  };

  explicit FileSeries(const Limits& limits) : limits_(limits) {}

  // Adds a complete file. Has no effect without limits.
  void Add(std::string path, int64_t bytes, Nanos end_ns);

  // Removes the files that exceed the limits. `open_bytes` is the size of the open file, which
  // counts towards max_bytes but is kept.
  void Trim(int64_t open_bytes, Nanos now_ns);

 private:
  struct File {
    std::string path;
    FileIdentity identity;
    int64_t bytes;
    Nanos end_ns;
  };

  bool IsBeyondLimits(const File& oldest, int64_t open_bytes, Nanos now_ns) const;

  const Limits limits_;
  std::deque<File> files_;  // oldest first
  int64_t bytes_ = 0;       // size of files_
};

}  // namespace jprof
