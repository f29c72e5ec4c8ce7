// EngineCounts: what the engines of a session have to say in its recording. Written by engines,
// read by the recorder; relaxed: plain numbers.
#pragma once

#include <atomic>
#include <cstdint>

namespace jprof {

struct EngineCounts {
  std::atomic<uint64_t> threads_without_kernel_frames{0};  // where kernel frames were asked for
};

}  // namespace jprof
