#include "jfr/writer/chunk_clock.h"

#include <ctime>

namespace jprof {
namespace {

int64_t NowOf(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);  // cannot fail for the two clocks used here
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

ChunkClock ChunkClock::Now() { return {NowOf(CLOCK_REALTIME), NowOf(CLOCK_MONOTONIC)}; }

}  // namespace jprof
