#include "jfr/writer/sealed_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace jprof {
namespace {

// Space for the bytes, without changing the size that readers see. A file system that cannot
// reserve is no reason to fail.
bool ReserveSpace(int fd, int64_t offset, int64_t bytes) {
  int failed;
  do {
    failed = fallocate(fd, FALLOC_FL_KEEP_SIZE, offset, bytes);
  } while (failed != 0 && errno == EINTR);
  return failed == 0 || errno == EOPNOTSUPP || errno == ENOSYS;
}

// In the kernel: one call copies everything unless a signal or an error cuts it short.
bool Copy(int from, int to, int64_t to_offset, int64_t bytes) {
  if (lseek(to, to_offset, SEEK_SET) < 0) return false;
  off_t from_offset = 0;
  while (from_offset < bytes) {
    const ssize_t copied =
        sendfile(to, from, &from_offset, static_cast<size_t>(bytes - from_offset));
    if (copied < 0 && errno == EINTR) continue;
    if (copied <= 0) return false;
  }
  return true;
}

}  // namespace

// Unlocks before the close: a child of fork may have the descriptor, and with it the lock.
SealedFile::~SealedFile() {
  if (fd_.valid()) flock(fd_.get(), LOCK_UN);
}

std::optional<FileChange> SealedFile::FindChange(const OutputPlace& target) const {
  struct stat info;
  if (fstat(fd_.get(), &info) != 0) return FileChange{"cannot be read", size_};
  if (info.st_nlink == 0) return FileChange{"was removed", size_};
  if (info.st_size < size_) return FileChange{"was cut", size_ - info.st_size};
  if (!IsSameFile(target.folder(), target.name(), fd_.get())) return FileChange{"was moved", 0};
  if (info.st_size > size_) return FileChange{"was written to", 0};
  return std::nullopt;
}

Status SealedFile::Append(const OutputPlace& target, int chunk_fd, int64_t chunk_size) {
  if (ReserveSpace(fd_.get(), size_, chunk_size) && Copy(chunk_fd, fd_.get(), size_, chunk_size)) {
    size_ += chunk_size;
    return {};
  }
  Error error = Error::FromErrno("append", target.path());
  if (ftruncate(fd_.get(), size_) != 0) {
    return Error(error.message() + "; " + Error::FromErrno("ftruncate", target.path()).message());
  }
  return error;
}

}  // namespace jprof
