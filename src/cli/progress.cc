#include "cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace jprof {

Progress::Progress(std::string what)
    : what_(std::move(what)), on_terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (is_shown_) std::fputs("\r\033[K", stderr);
}

void Progress::Show(int64_t done, int64_t total, const std::string& rest) {
  if (!on_terminal_ || total <= 0) return;
  constexpr double kWidth = 24;
  const double part = std::clamp(static_cast<double>(done) / static_cast<double>(total), 0.0, 1.0);
  std::string bar(static_cast<size_t>(part * kWidth), '#');
  bar.resize(static_cast<size_t>(kWidth), '.');
  is_shown_ = true;
  std::fprintf(stderr, "\r\033[K%s [%s] %s", what_.c_str(), bar.c_str(), rest.c_str());
}

}  // namespace jprof
