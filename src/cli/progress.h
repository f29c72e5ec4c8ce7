// Progress: a progress line on a terminal, updated in place; no output elsewhere.
#pragma once

#include <cstdint>
#include <string>

namespace jprof {

class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();  // clears the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Of `total`; `rest` follows the bar.
  void Show(int64_t done, int64_t total, const std::string& rest);

 private:
  const std::string what_;
  const bool on_terminal_;
  bool is_shown_ = false;
};

}  // namespace jprof
