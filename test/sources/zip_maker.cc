#include "sources/zip_maker.h"

#include <zlib.h>

namespace jprof::test {
namespace {

std::string Little(uint64_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i, number >>= 8) text += static_cast<char>(number & 0xFF);
  return text;
}

std::string Deflated(const std::string& content) {
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace

std::string MakeZip(const std::vector<ZipMember>& members) {
  std::string zip;
  std::string directory;
  for (const ZipMember& member : members) {
    const std::string packed = member.deflate ? Deflated(member.content) : member.content;
    const uLong checksum = crc32(0, reinterpret_cast<const Bytef*>(member.content.data()),
                                 static_cast<uInt>(member.content.size()));
    // The fields from the needed version to the extra field's length are equal in both headers.
    const std::string shared =
        Little(20, 2) + Little(member.flags, 2) + Little(member.deflate ? 8 : 0, 2) + Little(0, 4) +
        Little(checksum, 4) + Little(packed.size(), 4) + Little(member.content.size(), 4) +
        Little(member.name.size(), 2) + Little(0, 2);
    directory += Little(0x02014B50, 4) + Little(20, 2) + shared + Little(0, 10) +
                 Little(zip.size(), 4) + member.name;
    zip += Little(0x04034B50, 4) + shared + member.name + packed;
  }
  const size_t offset = zip.size();
  zip += directory;
  return zip + Little(0x06054B50, 4) + Little(0, 4) + Little(members.size(), 2) +
         Little(members.size(), 2) + Little(directory.size(), 4) + Little(offset, 4) + Little(0, 2);
}

}  // namespace jprof::test
