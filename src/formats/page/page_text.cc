#include "formats/page/page_text.h"

#include <zlib.h>

namespace jprof {

PageText::PageText() : text_(kPackedPage.bytes, '\0'), data_at_(kPackedPage.data_at) {
  constexpr int kGzipOnly = 15 + 16;  // zlib.h: adding 16 decodes only the gzip format
  z_stream stream{};
  stream.next_in = const_cast<Bytef*>(kPackedPage.gzip.data());
  stream.avail_in = static_cast<uInt>(kPackedPage.gzip.size());
  stream.next_out = reinterpret_cast<Bytef*>(text_.data());
  stream.avail_out = static_cast<uInt>(text_.size());
  const bool is_ready = inflateInit2(&stream, kGzipOnly) == Z_OK;
  is_whole_ = is_ready && inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_out == 0;
  if (is_ready) inflateEnd(&stream);
}

}  // namespace jprof
