#include "jfr/reader/recording_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

namespace jprof::profile {
namespace {

constexpr size_t kWindowSize = 1024 * 1024;

}  // namespace

Result<RecordingFile> RecordingFile::Open(const std::string& path) {
  ScopedFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return Error::FromErrno("open", path);
  return FromDescriptor(std::move(fd), path);
}

Result<RecordingFile> RecordingFile::FromDescriptor(ScopedFd fd, std::string name) {
  struct stat info;
  if (fstat(fd.get(), &info) != 0) return Error::FromErrno("fstat", name);
  if (!S_ISREG(info.st_mode)) {
    return Error("'" + name + "' is not a regular file: name a recording.");
  }
  return RecordingFile(std::move(fd), std::move(name), info.st_size);
}

std::span<const uint8_t> RecordingFile::At(int64_t offset, size_t wanted) {
  if (offset < 0 || offset >= size_) return {};
  wanted = std::min(wanted, static_cast<size_t>(size_ - offset));
  const int64_t window_end = window_at_ + static_cast<int64_t>(window_size_);
  if (offset < window_at_ || offset + static_cast<int64_t>(wanted) > window_end) {
    const size_t usual = std::min(kWindowSize, static_cast<size_t>(size_));
    const size_t capacity = std::max(usual, wanted);
    if (window_.size() < capacity) window_.resize(capacity);
    const int64_t end = offset + static_cast<int64_t>(wanted);
    const bool backwards = offset < window_at_;
    window_at_ =
        backwards ? std::max<int64_t>(end - static_cast<int64_t>(window_.size()), 0) : offset;
    window_size_ = Read(window_.data(), window_.size(), window_at_);
  }
  const size_t skip = std::min(static_cast<size_t>(offset - window_at_), window_size_);
  return {window_.data() + skip, window_size_ - skip};
}

void RecordingFile::AppendTo(std::vector<uint8_t>& out, int64_t offset, size_t count) {
  if (offset < 0 || offset >= size_) return;
  count = std::min(count, static_cast<size_t>(size_ - offset));
  const size_t before = out.size();
  out.resize(before + count);
  out.resize(before + Read(out.data() + before, count, offset));
}

size_t RecordingFile::Read(uint8_t* to, size_t count, int64_t offset) {
  size_t done = 0;
  while (done < count) {
    const ssize_t got =
        pread(fd_.get(), to + done, count - done, offset + static_cast<int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  // Relaxed: only a progress line reads the count.
  if (read_bytes_ != nullptr) {
    read_bytes_->fetch_add(static_cast<int64_t>(done), std::memory_order_relaxed);
  }
  if (done < count) size_ = std::min(size_, offset + static_cast<int64_t>(done));
  return done;
}

}  // namespace jprof::profile
