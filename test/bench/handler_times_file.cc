// When the library `timed` of `scripts/bench account` is unloaded, appends the numbers of handlers by
// their CPU time to the file that the environment variable JPROF_HANDLER_TIMES names: a line of
// numbers, separated by spaces.
#include <cstdio>
#include <cstdlib>

#include "sigsafe/sampling/handler_times.h"

namespace jprof {
namespace {

__attribute__((destructor)) void WriteHandlerTimes() {
  const char* const path = getenv("JPROF_HANDLER_TIMES");
  FILE* const file = path == nullptr ? nullptr : fopen(path, "ae");
  if (file == nullptr) return;
  for (const auto& count : HandlerTimes::OfProcess().counts()) {
    fprintf(file, "%u ", count.load(std::memory_order_relaxed));
  }
  fputc('\n', file);
  fclose(file);
}

}  // namespace
}  // namespace jprof
