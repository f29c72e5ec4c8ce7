// PeakMemoryOf: returns by how many megabytes `body` raises the peak memory of a process; 255
// stands for 255 or more. Runs `body` in a child process.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

namespace jprof::test {

template <class Body>
int PeakMemoryOf(const Body& body) {
  const auto peak_mb = [] {
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;
  };
  const pid_t child = fork();
  if (child == 0) {
    const long before = peak_mb();
    body();
    _exit(static_cast<int>(std::min(peak_mb() - before, 255L)));
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

}  // namespace jprof::test
