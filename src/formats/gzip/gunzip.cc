#include "formats/gzip/gunzip.h"

#include <unistd.h>
#include <zlib.h>

#include <cerrno>

#include "base/write_all.h"

namespace jprof {
namespace {

constexpr int kGzipOnly = 15 + 16;  // zlib.h: 16 more takes gzip alone
constexpr size_t kBuffer = 256 * 1024;

// Owns the state of zlib.
class Inflater {
 public:
  Inflater() { is_ready_ = inflateInit2(&stream_, kGzipOnly) == Z_OK; }
  ~Inflater() {
    if (is_ready_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  bool is_ready() const { return is_ready_; }
  z_stream& stream() { return stream_; }

 private:
  z_stream stream_ = {};
  bool is_ready_ = false;
};

// Empty at the end of the file.
Result<std::string> ReadSome(int fd, const std::string& name) {
  std::string bytes(kBuffer, '\0');
  for (;;) {
    const ssize_t got = read(fd, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error::FromErrno("read", name);
    bytes.resize(static_cast<size_t>(got));
    return bytes;
  }
}

}  // namespace

bool IsGzip(std::string_view bytes) { return bytes.starts_with("\x1F\x8B"); }

Result<GunzipReport> Gunzip(std::string head, int from, int to, const std::string& name,
                            uint64_t most) {
  Inflater inflater;
  if (!inflater.is_ready()) return Error("cannot unpack '" + name + "': zlib has no memory");
  GunzipReport report;
  z_stream& stream = inflater.stream();
  std::string packed = std::move(head);
  std::string unpacked(kBuffer, '\0');
  bool is_between_members = false;
  while (report.missing.empty()) {
    if (packed.empty()) {
      Result<std::string> more = ReadSome(from, name);
      if (!more) return more.error();
      packed = std::move(more).value();
      if (packed.empty()) {
        if (!is_between_members) report.missing = "the end of the compressed file, which is cut";
        break;
      }
    }
    stream.next_in = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_in = static_cast<uInt>(packed.size());
    do {
      if (is_between_members && inflateReset(&stream) != Z_OK) break;
      is_between_members = false;
      stream.next_out = reinterpret_cast<Bytef*>(unpacked.data());
      stream.avail_out = kBuffer;
      const int result = inflate(&stream, Z_NO_FLUSH);
      const size_t count = kBuffer - stream.avail_out;
      report.bytes += count;
      if (report.bytes > most) {
        return Error("'" + name + "' unpacks to more than " + std::to_string(most >> 20) +
                     " MB: unpack it with gunzip first, if you trust it");
      }
      const Status written = WriteAll(to, std::string_view(unpacked).substr(0, count), name);
      if (!written) return written.error();
      if (result == Z_STREAM_END) {
        is_between_members = true;
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        report.missing = "the rest of the compressed file, which is damaged";
        break;
      }
    } while (stream.avail_in != 0 || (stream.avail_out == 0 && !is_between_members));
    packed.clear();
  }
  if (report.bytes == 0) return Error("'" + name + "' is compressed and cannot be unpacked");
  return report;
}

}  // namespace jprof
