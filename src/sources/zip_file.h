// ZipFile: reads single files of a ZIP archive (PKWARE's APPNOTE 6.3.10, without ZIP64). Does not
// trust the archive: every number is checked against the file, and the bytes that are read are
// bounded.
//
// Not thread-safe.
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
  uint64_t offset = 0;  // offset of the local header
  uint32_t packed_bytes = 0;
  uint32_t checksum = 0;
  uint16_t method = 0;
};

class ZipFile {
 public:
  // Opens an archive, and keeps the entries that are not encrypted and whose names `wanted`
  // accepts. Fails if the file is not an archive.
  static Result<ZipFile> Open(const std::string& path, bool (*wanted)(std::string_view name));

  const std::string& path() const { return path_; }
  const std::vector<ZipEntry>& entries() const { return entries_; }

  // Returns the content of an entry. Fails if the entry is damaged or the content is longer than
  // `max_bytes`.
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
  // Returns exactly `bytes` bytes at `offset`; fails if the file has fewer.
  Result<std::string> ReadAt(uint64_t offset, uint64_t bytes) const;

  std::string path_;
  ScopedFd fd_;
  uint64_t size_;
  std::vector<ZipEntry> entries_;
};

}  // namespace jprof
