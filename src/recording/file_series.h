// FileSeries: the finished files of a recording that goes into one file after the other, and which
// of them are to go. Whole files are removed, oldest first, and only those that were added here:
// another one that has taken a name since stays.
//
// One thread.
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
    Nanos max_age_ns = 0;   // since a file's end; 0: no limit
    int64_t max_bytes = 0;  // of all files together; 0: no limit
  };

  explicit FileSeries(const Limits& limits) : limits_(limits) {}

  // A file is complete: no more is written to it. Forgotten at once where nothing limits the files.
  void Add(std::string path, int64_t bytes, Nanos end_ns);

  // Removes what is beyond the limits. `open_bytes`: of the file that is being written, which
  // counts but stays.
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
  int64_t bytes_ = 0;       // of files_
};

}  // namespace jprof
