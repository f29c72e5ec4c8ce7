// ByteSource: bytes of an ELF file, read by offset: a file, memory such as the vDSO, or a copy of
// memory.
//
// Thread-safe; not for handlers. A file is read and not mapped: when a file shrinks meanwhile, a
// read fails, whereas access to a mapping would end the JVM with SIGBUS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/scoped_fd.h"

namespace jprof {

class ByteSource {
 public:
  // A regular file.
  static Result<ByteSource> OpenFile(const std::string& path);

  // The same file as `fd`, which has been opened for reading. `path`: for errors.
  static Result<ByteSource> OfFile(ScopedFd fd, const std::string& path);

  // REQUIRES: [begin, begin + size) stays readable while the source is used.
  static ByteSource Memory(const void* begin, size_t size);

  static ByteSource Copy(std::vector<char> bytes);

  uint64_t size() const { return size_; }

  // False if [offset, offset + n) is not within the source, or cannot be read.
  bool Read(uint64_t offset, void* to, size_t n) const;

 private:
  ByteSource(ScopedFd fd, const char* memory, uint64_t size)
      : fd_(std::move(fd)), memory_(memory), size_(size) {}

  ScopedFd fd_;
  std::vector<char> copy_;
  const char* memory_;  // nullptr: read from fd_; a move of copy_ keeps the address of its bytes
  uint64_t size_;
};

}  // namespace jprof
