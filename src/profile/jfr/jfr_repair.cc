#include "profile/jfr/jfr_repair.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <optional>

#include "base/output_place.h"
#include "base/scoped_fd.h"
#include "profile/jfr/jfr_chunk_header.h"

namespace jprof::profile {
namespace {

// The size of the finished chunk at `offset`; nothing if none is there as a whole.
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
  if (report.removed_bytes > 0 && ftruncate(fd.get(), end) != 0) {
    return Error::FromErrno("ftruncate", path);
  }
  return report;
}

}  // namespace jprof::profile
