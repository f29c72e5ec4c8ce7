#include "conversion/gzip.h"

#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <memory>
#include <utility>

#include "base/scaled_text.h"
#include "base/scoped_fd.h"

namespace jprof {
namespace {

constexpr int kGzipOnly = 15 + 16;    // zlib.h: a window of 15 bits; adding 16 accepts only gzip
constexpr int kGzipHeader = 15 + 16;  // zlib.h: a window of 15 bits; adding 16 writes a gzip header
// The level of compression. The default level of zlib, 6, would make files a fifth smaller, but
// compression would take four times as long (measured with a Firefox profile of 310 MB).
constexpr int kLevel = 2;
constexpr int kMemoryLevel = 8;
constexpr size_t kBuffer = 256 * 1024;

// Inflater owns the state of zlib.
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

// Returns the next bytes of the file. Returns an empty string at the end of the file.
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

// GunzipWriter unpacks the members of a gzip file, one after the other, to a descriptor.
class GunzipWriter {
 public:
  GunzipWriter(int to, const std::string& name, uint64_t most)
      : to_(to), name_(name), most_(most), unpacked_(kBuffer, '\0') {}

  bool is_ready() const { return inflater_.is_ready(); }
  bool is_between_members() const { return is_between_members_; }

  // Unpacks `packed`. If `packed` is damaged, stops at the damage and sets report->missing.
  Status Unpack(std::string& packed, GunzipReport* report) {
    z_stream& stream = inflater_.stream();
    stream.next_in = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_in = static_cast<uInt>(packed.size());
    do {
      if (is_between_members_ && inflateReset(&stream) != Z_OK) break;
      is_between_members_ = false;
      stream.next_out = reinterpret_cast<Bytef*>(unpacked_.data());
      stream.avail_out = kBuffer;
      const int result = inflate(&stream, Z_NO_FLUSH);
      const Status written = Write(kBuffer - stream.avail_out, report);
      if (!written) return written;
      if (result == Z_STREAM_END) {
        is_between_members_ = true;
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        report->missing = "the rest of the compressed file, which is damaged";
        break;
      }
    } while (stream.avail_in != 0 || (stream.avail_out == 0 && !is_between_members_));
    return {};
  }

 private:
  Status Write(size_t count, GunzipReport* report) {
    report->bytes += count;
    if (report->bytes > most_) {
      return Error("'" + name_ + "' unpacks to more than " + MegabytesText(most_) +
                   ": unpack it with gunzip first, if you trust it");
    }
    return WriteAll(to_, std::string_view(unpacked_).substr(0, count), name_);
  }

  const int to_;
  const std::string& name_;
  const uint64_t most_;
  Inflater inflater_;
  std::string unpacked_;
  bool is_between_members_ = false;
};

}  // namespace

Result<GunzipReport> Gunzip(std::string head, int from, int to, const std::string& name,
                            uint64_t most) {
  GunzipWriter writer(to, name, most);
  if (!writer.is_ready()) return Error("cannot unpack '" + name + "': zlib has no memory");
  GunzipReport report;
  std::string packed = std::move(head);
  while (report.missing.empty()) {
    if (packed.empty()) {
      Result<std::string> more = ReadSome(from, name);
      if (!more) return more.error();
      packed = std::move(more).value();
      if (packed.empty()) break;
    }
    const Status unpacked = writer.Unpack(packed, &report);
    if (!unpacked) return unpacked.error();
    packed.clear();
  }
  if (report.missing.empty() && !writer.is_between_members()) {
    report.missing = "the end of the compressed file, which is cut";
  }
  if (report.bytes == 0) return Error("'" + name + "' is compressed and cannot be unpacked");
  return report;
}

GzipStream::GzipStream(int fd, std::string name)
    : OutputStream(fd, std::move(name)), stream_(std::make_unique<z_stream_s>()) {
  is_ready_ = deflateInit2(stream_.get(), kLevel, Z_DEFLATED, kGzipHeader, kMemoryLevel,
                           Z_DEFAULT_STRATEGY) == Z_OK;
}

GzipStream::~GzipStream() {
  if (is_ready_) deflateEnd(stream_.get());
}

Status GzipStream::Deliver(std::string_view bytes) { return Deflate(bytes, Z_NO_FLUSH); }
Status GzipStream::End() { return Deflate({}, Z_FINISH); }

Status GzipStream::Deflate(std::string_view bytes, int flush) {
  if (!is_ready_) return Error("cannot compress: zlib has no memory");
  const auto packed = std::make_unique_for_overwrite<char[]>(kBuffer);
  stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream_->avail_in = static_cast<uInt>(bytes.size());
  do {
    stream_->next_out = reinterpret_cast<Bytef*>(packed.get());
    stream_->avail_out = kBuffer;
    if (deflate(stream_.get(), flush) == Z_STREAM_ERROR) {
      return Error("cannot compress: zlib fails");
    }
    const Status written = OutputStream::Deliver({packed.get(), kBuffer - stream_->avail_out});
    if (!written) return written;
  } while (stream_->avail_out == 0);
  return {};
}

}  // namespace jprof
