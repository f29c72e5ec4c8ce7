#include "conversion/gzip_stream.h"

#include <zlib.h>

#include <utility>

namespace jprof {
namespace {

constexpr int kGzipWindow = 15 + 16;  // zlib.h: adding 16 writes a gzip header
// The level of compression. The default, 6, takes four times as long for files that are a fifth
// smaller (a Firefox profile of 310 MB).
constexpr int kLevel = 2;
constexpr int kMemoryLevel = 8;
constexpr size_t kChunk = 256 * 1024;

}  // namespace

GzipStream::GzipStream(int fd, std::string name)
    : OutputStream(fd, std::move(name)), stream_(std::make_unique<z_stream_s>()) {
  is_ready_ = deflateInit2(stream_.get(), kLevel, Z_DEFLATED, kGzipWindow, kMemoryLevel,
                           Z_DEFAULT_STRATEGY) == Z_OK;
}

GzipStream::~GzipStream() {
  if (is_ready_) deflateEnd(stream_.get());
}

Status GzipStream::Deliver(std::string_view bytes) { return Deflate(bytes, Z_NO_FLUSH); }
Status GzipStream::End() { return Deflate({}, Z_FINISH); }

Status GzipStream::Deflate(std::string_view bytes, int flush) {
  if (!is_ready_) return Error("cannot compress: zlib has no memory");
  const auto packed = std::make_unique_for_overwrite<char[]>(kChunk);
  stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream_->avail_in = static_cast<uInt>(bytes.size());
  do {
    stream_->next_out = reinterpret_cast<Bytef*>(packed.get());
    stream_->avail_out = kChunk;
    if (deflate(stream_.get(), flush) == Z_STREAM_ERROR) {
      return Error("cannot compress: zlib fails");
    }
    const Status written = OutputStream::Deliver({packed.get(), kChunk - stream_->avail_out});
    if (!written) return written;
  } while (stream_->avail_out == 0);
  return {};
}

}  // namespace jprof
