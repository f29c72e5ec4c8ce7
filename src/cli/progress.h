// Progress: a progress line on a terminal, updated in place; no output elsewhere.
#pragma once

#include <string>

#include "sigsafe/base/types.h"

namespace jprof {

class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();  // clears the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Show(Nanos elapsed_ns, Nanos total_ns);

 private:
  const std::string what_;
  const bool on_terminal_;
};

}  // namespace jprof
