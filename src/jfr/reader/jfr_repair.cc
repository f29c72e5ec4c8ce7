#include "jfr/reader/jfr_repair.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <string_view>
#include <utility>

#include "base/output_file.h"
#include "base/output_place.h"
#include "base/scoped_fd.h"
#include "jfr/reader/jfr_chunk_header.h"

namespace jprof::profile {
namespace {

// Returns the size of the chunk at `offset`; nullopt if there is no finished, complete chunk.
std::optional<int64_t> FinishedChunkAt(int fd, int64_t offset, int64_t file_size) {
  std::array<uint8_t, JfrChunkHeader::kSize> bytes;
  if (pread(fd, bytes.data(), bytes.size(), offset) != static_cast<ssize_t>(bytes.size())) {
    return std::nullopt;
  }
  const std::optional<JfrChunkHeader> header = JfrChunkHeader::Parse(bytes);
  if (!header || header->state != 0) return std::nullopt;
  if (header->size < JfrChunkHeader::kSize || header->size > file_size - offset) {
    return std::nullopt;
  }
  return header->size;
}

// Converts "a.jfr" to "a-tail.jfr", or to "a-tail-2.jfr" and so on if that name is taken.
std::string FreeTailName(const std::string& path) {
  std::string name = WithSuffix(path, "-tail");
  struct stat taken;
  for (int number = 2; lstat(name.c_str(), &taken) == 0; ++number) {
    name = WithSuffix(path, "-tail-" + std::to_string(number));
  }
  return name;
}

// Copies the bytes from `offset` on to a new file at `path`.
Status CopyTail(int from, int64_t offset, const std::string& path) {
  Result<OutputPlace> place = OutputPlace::ResolveFile(path);
  if (!place) return place.error();
  Result<OutputFile> to = OutputFile::Create(std::move(place).value());
  if (!to) return to.error();
  std::string buffer(size_t{1} << 20, '\0');
  for (;;) {
    const ssize_t got = pread(from, buffer.data(), buffer.size(), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error::FromErrno("read", path);
    if (got == 0) return to.value().Publish();
    const Status written = WriteAll(
        to.value().fd(), std::string_view(buffer).substr(0, static_cast<size_t>(got)), path);
    if (!written) return written;
    offset += got;
  }
}

}  // namespace

Result<JfrRepairReport> RepairJfr(const std::string& path) {
  const Result<OutputPlace> place = OutputPlace::ResolveFile(path);
  if (!place) return place.error();
  const Result<ScopedFd> opened = place.value().OpenFile(O_RDWR);
  if (!opened) return opened.error();
  const ScopedFd& fd = opened.value();
  if (flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    return Error(path + " is being recorded to: stop the recording first");
  }
  struct stat file;
  if (fstat(fd.get(), &file) != 0) return Error::FromErrno("fstat", path);
  JfrRepairReport report;
  int64_t end = 0;
  while (const auto size = FinishedChunkAt(fd.get(), end, file.st_size)) {
    end += *size;
    ++report.chunks;
  }
  if (report.chunks == 0) return Error(path + " does not begin with a finished JFR chunk");
  report.removed_bytes = file.st_size - end;
  if (report.removed_bytes == 0) return report;
  report.tail = FreeTailName(path);
  const Status kept = CopyTail(fd.get(), end, report.tail);
  if (!kept) return kept.error();
  if (ftruncate(fd.get(), end) != 0) return Error::FromErrno("ftruncate", path);
  return report;
}

}  // namespace jprof::profile
