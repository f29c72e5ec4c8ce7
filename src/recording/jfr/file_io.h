// Whole reads and writes at an offset, whatever signals and short counts come between. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace jprof {

// Bytes written before the first error; errno tells which if there are fewer than asked for.
size_t WriteFully(int fd, std::span<const uint8_t> bytes, int64_t offset);

// Bytes read; fewer than asked for at the end of the file or after an error.
size_t ReadFully(int fd, std::span<uint8_t> to, int64_t offset);

}  // namespace jprof
