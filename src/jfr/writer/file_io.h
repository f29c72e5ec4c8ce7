// Complete reads and writes at an offset, despite signals and short counts. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace jprof {

// Returns the bytes written before the first error; if fewer than requested, errno is the error.
size_t WriteFully(int fd, std::span<const uint8_t> bytes, int64_t offset);

// Returns the bytes read; fewer than requested at the end of the file or after an error.
size_t ReadFully(int fd, std::span<uint8_t> to, int64_t offset);

}  // namespace jprof
