#include "cli/progress.h"

#include <unistd.h>

#include <cstdio>

namespace jprof {

Progress::Progress(std::string what)
    : what_(std::move(what)), on_terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (on_terminal_) std::fputs("\r\033[K", stderr);
}

void Progress::Show(Nanos elapsed_ns, Nanos total_ns) {
  if (!on_terminal_) return;
  constexpr int kWidth = 24;
  const auto filled = static_cast<int>(kWidth * elapsed_ns / total_ns);
  std::string bar(static_cast<size_t>(filled), '#');
  bar.resize(kWidth, '.');
  std::fprintf(stderr, "\r\033[K%s [%s] %lld of %lld s (Ctrl-C stops and keeps it)", what_.c_str(),
               bar.c_str(), static_cast<long long>(elapsed_ns / kNanosPerSecond),
               static_cast<long long>(total_ns / kNanosPerSecond));
}

}  // namespace jprof
