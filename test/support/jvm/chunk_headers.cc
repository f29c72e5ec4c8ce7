#include "support/jvm/chunk_headers.h"

#include <fstream>
#include <iterator>
#include <string_view>

namespace jprof::test {
namespace {

constexpr size_t kHeaderSize = 68;
constexpr std::string_view kMagic("FLR\0", 4);

int64_t BigEndian(std::string_view bytes, size_t offset, size_t width) {
  uint64_t value = 0;
  for (const char byte : bytes.substr(offset, width)) {
    value = value << 8 | static_cast<unsigned char>(byte);
  }
  return static_cast<int64_t>(value);
}

ChunkHeader Parse(std::string_view bytes) {
  ChunkHeader header;
  header.major = static_cast<int>(BigEndian(bytes, 4, 2));
  header.minor = static_cast<int>(BigEndian(bytes, 6, 2));
  header.size = BigEndian(bytes, 8, 8);
  header.checkpoint_offset = BigEndian(bytes, 16, 8);
  header.metadata_offset = BigEndian(bytes, 24, 8);
  header.start_nanos = BigEndian(bytes, 32, 8);
  header.duration_nanos = BigEndian(bytes, 40, 8);
  header.start_ticks = BigEndian(bytes, 48, 8);
  header.ticks_per_second = BigEndian(bytes, 56, 8);
  header.state = static_cast<int>(BigEndian(bytes, 64, 1));
  return header;
}

}  // namespace

Result<std::vector<ChunkHeader>> ReadChunkHeaders(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return Error("cannot open " + path);
  const std::string file((std::istreambuf_iterator<char>(stream)), {});
  std::vector<ChunkHeader> headers;
  size_t offset = 0;
  while (offset < file.size()) {
    const std::string where = " at offset " + std::to_string(offset) + " of " + path;
    const std::string_view rest = std::string_view(file).substr(offset);
    if (rest.size() < kHeaderSize || rest.substr(0, kMagic.size()) != kMagic) {
      return Error("no chunk" + where);
    }
    headers.push_back(Parse(rest));
    const int64_t size = headers.back().size;
    if (size < static_cast<int64_t>(kHeaderSize) || size > static_cast<int64_t>(rest.size())) {
      return Error("chunk of " + std::to_string(size) + " bytes" + where);
    }
    offset += static_cast<size_t>(size);
  }
  if (headers.empty()) return Error("no chunk in " + path);
  return headers;
}

}  // namespace jprof::test
