#include "elf/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace jprof {

Result<ByteSource> ByteSource::OpenFile(const std::string& path) {
  // Without O_NONBLOCK the open of a FIFO would wait for its writer.
  ScopedFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return Error::FromErrno("open", path);
  return OfFile(std::move(fd), path);
}

Result<ByteSource> ByteSource::OfFile(ScopedFd fd, const std::string& path) {
  struct stat status = {};
  if (fstat(fd.get(), &status) != 0) return Error::FromErrno("fstat", path);
  if (!S_ISREG(status.st_mode)) return Error("cannot open " + path + ": not a regular file");
  return ByteSource(std::move(fd), nullptr, static_cast<uint64_t>(status.st_size));
}

ByteSource ByteSource::Memory(const void* begin, size_t size) {
  return ByteSource(ScopedFd(), static_cast<const char*>(begin), size);
}

ByteSource ByteSource::Copy(std::vector<char> bytes) {
  ByteSource source(ScopedFd(), bytes.data(), bytes.size());
  source.copy_ = std::move(bytes);
  return source;
}

bool ByteSource::Read(uint64_t offset, void* to, size_t n) const {
  if (offset > size_ || n > size_ - offset) return false;
  if (n == 0) return true;
  if (memory_ != nullptr) {
    memcpy(to, memory_ + offset, n);
    return true;
  }
  for (size_t done = 0; done < n;) {
    const ssize_t got = pread(fd_.get(), static_cast<char*>(to) + done, n - done,
                              static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<size_t>(got);
  }
  return true;
}

}  // namespace jprof
