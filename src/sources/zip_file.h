// ZipFile: reads single files of a ZIP archive (PKWARE's APPNOTE 6.3.10, without ZIP64), and trusts
// none of it: every number is checked against the file, and what is read is bounded.
//
// One thread. Memory: the names of the wanted files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/scoped_fd.h"

namespace jprof {

struct ZipEntry {
  std::string name;
  uint64_t offset = 0;  // of its local header
  uint32_t packed_bytes = 0;
  uint32_t checksum = 0;
  uint16_t method = 0;
};

class ZipFile {
 public:
  // Knows the files whose names `wanted` accepts. Fails for a file that is no archive.
  static Result<ZipFile> Open(const std::string& path, bool (*wanted)(std::string_view name));

  const std::string& path() const { return path_; }
  const std::vector<ZipEntry>& entries() const { return entries_; }

  // The content; an error if it is damaged, encrypted, or longer than `max_bytes`.
  Result<std::string> Read(const ZipEntry& entry, size_t max_bytes) const;

 private:
  ZipFile(std::string path, ScopedFd fd, uint64_t size)
      : path_(std::move(path)), fd_(std::move(fd)), size_(size) {}

  struct Directory {
    uint64_t offset = 0;
    uint64_t bytes = 0;
  };

  Result<Directory> FindDirectory() const;
  Status ReadDirectory(const Directory& directory, bool (*wanted)(std::string_view name));
  // Exactly `bytes` at `offset`.
  Result<std::string> ReadAt(uint64_t offset, uint64_t bytes) const;

  std::string path_;
  ScopedFd fd_;
  uint64_t size_;
  std::vector<ZipEntry> entries_;
};

}  // namespace jprof
