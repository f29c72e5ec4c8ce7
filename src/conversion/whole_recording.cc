#include "conversion/whole_recording.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>

#include "base/gzip_head.h"
#include "base/scaled_text.h"
#include "base/scoped_fd.h"
#include "conversion/gzip.h"
#include "jfr/reader/jfr_chunk_header.h"

namespace jprof {
namespace {

constexpr size_t kHeadBytes = 4;  // enough for the magic of gzip and of a recording
constexpr size_t kReadBytes = 256 * 1024;

// Reads `count` bytes, or fewer at the end of the file.
Result<std::string> Take(int fd, size_t count, const std::string& name) {
  std::string bytes(count, '\0');
  size_t done = 0;
  while (done < count) {
    const ssize_t got = read(fd, bytes.data() + done, count - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error::FromErrno("read", name);
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

Status CopyAll(std::string bytes, int from, int to, const std::string& name, uint64_t most) {
  uint64_t copied = 0;
  while (!bytes.empty()) {
    copied += bytes.size();
    if (copied > most) {
      return Error("'" + name + "' has more than " + MegabytesText(most) +
                   ": write it to a file first");
    }
    const Status written = WriteAll(to, bytes, name);
    if (!written) return written;
    Result<std::string> more = Take(from, kReadBytes, name);
    if (!more) return more.error();
    bytes = std::move(more).value();
  }
  return {};
}

}  // namespace

Result<profile::RecordingInput> WholeRecording(profile::RecordingInput input, uint64_t most_bytes,
                                               std::string& missing) {
  struct stat info;
  if (fstat(input.fd.get(), &info) != 0) return Error::FromErrno("fstat", input.name);
  if (S_ISDIR(info.st_mode)) return Error("'" + input.name + "' is a folder: name a recording.");
  const bool is_file = S_ISREG(info.st_mode);
  char head_of_file[kHeadBytes];
  if (is_file) {
    const ssize_t got = pread(input.fd.get(), head_of_file, sizeof head_of_file, 0);
    const std::string_view head(head_of_file, static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (!IsGzip(head)) return input;
    if (lseek(input.fd.get(), 0, SEEK_SET) != 0) return Error::FromErrno("lseek", input.name);
  }
  Result<std::string> head = Take(input.fd.get(), kHeadBytes, input.name);
  if (!head) return head.error();
  const bool is_gzip = IsGzip(head.value());
  const std::span bytes(reinterpret_cast<const uint8_t*>(head.value().data()), head.value().size());
  if (!is_gzip && !profile::JfrChunkHeader::HasMagic(bytes)) {
    return profile::NotARecording(input.name);
  }
  profile::RecordingInput whole{
      ScopedFd(static_cast<int>(syscall(SYS_memfd_create, "recording", MFD_CLOEXEC))), input.name};
  if (!whole.fd.valid()) return Error::FromErrno("memfd_create", input.name);
  if (!is_gzip) {
    const Status copied =
        CopyAll(std::move(head).value(), input.fd.get(), whole.fd.get(), input.name, most_bytes);
    if (!copied) return copied.error();
    return whole;
  }
  const Result<GunzipReport> unpacked =
      Gunzip(std::move(head).value(), input.fd.get(), whole.fd.get(), input.name, most_bytes);
  if (!unpacked) return unpacked.error();
  if (!unpacked.value().missing.empty()) missing = input.name + ": " + unpacked.value().missing;
  return whole;
}

}  // namespace jprof
