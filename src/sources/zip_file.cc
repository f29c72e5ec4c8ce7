#include "sources/zip_file.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/scoped_fd.h"

namespace jprof {
namespace {

// The signatures of records and the lengths of their fixed parts (APPNOTE 4.3.7, 4.3.12, 4.3.16).
constexpr uint32_t kLocalSignature = 0x04034B50;
constexpr uint32_t kCentralSignature = 0x02014B50;
constexpr uint32_t kEndSignature = 0x06054B50;
constexpr size_t kLocalBytes = 30;
constexpr size_t kCentralBytes = 46;
constexpr size_t kEndBytes = 22;

constexpr uint16_t kEncrypted = 1;
constexpr uint16_t kStored = 0;
constexpr uint16_t kDeflated = 8;

constexpr size_t kMaxComment = 65535;
constexpr uint64_t kMaxDirectory = uint64_t{64} << 20;
constexpr uint32_t kInZip64 = 0xFFFFFFFF;

template <typename Number>
Number Get(std::string_view bytes, size_t at) {
  Number number = 0;
  for (size_t i = 0; i < sizeof number; ++i) {
    number = static_cast<Number>(
        number | static_cast<Number>(static_cast<unsigned char>(bytes[at + i])) << (8 * i));
  }
  return number;
}

// Decompresses `packed` into `content`. Returns false if the data is damaged or the content is
// longer than `max_bytes`.
bool Inflate(std::string_view packed, size_t max_bytes, std::string* content) {
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  char buffer[32 * 1024];
  int status = Z_OK;
  while (status == Z_OK && content->size() <= max_bytes) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer);
    stream.avail_out = sizeof buffer;
    status = inflate(&stream, Z_NO_FLUSH);
    content->append(buffer, sizeof buffer - stream.avail_out);
  }
  inflateEnd(&stream);
  return status == Z_STREAM_END && content->size() <= max_bytes;
}

}  // namespace

Result<ZipFile> ZipFile::Open(const std::string& path, bool (*wanted)(std::string_view name)) {
  Result<ScopedFd> fd = OpenRegularFile(path, LastLink::kFollow);
  if (!fd) return fd.error();
  struct stat info;
  if (fstat(fd.value().get(), &info) != 0) return Error::FromErrno("open", path);
  ZipFile zip(path, std::move(fd).value(), static_cast<uint64_t>(info.st_size));
  const Result<Directory> directory = zip.FindDirectory();
  if (!directory) return directory.error();
  const Status read = zip.ReadDirectory(directory.value(), wanted);
  if (!read) return read.error();
  return zip;
}

Result<ZipFile::Directory> ZipFile::FindDirectory() const {
  const uint64_t tail_bytes = std::min<uint64_t>(size_, kEndBytes + kMaxComment);
  const Result<std::string> tail = ReadAt(size_ - tail_bytes, tail_bytes);
  if (!tail) return tail.error();
  const std::string& text = tail.value();
  for (size_t at = text.size() < kEndBytes ? 0 : text.size() - kEndBytes + 1; at-- > 0;) {
    const std::string_view end = std::string_view{text}.substr(at);
    if (Get<uint32_t>(end, 0) != kEndSignature) continue;
    const auto bytes = Get<uint32_t>(end, 12);
    const auto offset = Get<uint32_t>(end, 16);
    if (offset == kInZip64) return Error(path_ + " is a ZIP64 archive, which is not read");
    if (uint64_t{offset} + bytes > size_ || bytes > kMaxDirectory) continue;
    return Directory{offset, bytes};
  }
  return Error(path_ + " is not a ZIP archive, or is damaged");
}

Status ZipFile::ReadDirectory(const Directory& directory, bool (*wanted)(std::string_view name)) {
  const Result<std::string> bytes = ReadAt(directory.offset, directory.bytes);
  if (!bytes) return bytes.error();
  std::string_view rest = bytes.value();
  while (rest.size() >= kCentralBytes && Get<uint32_t>(rest, 0) == kCentralSignature) {
    const size_t name_bytes = Get<uint16_t>(rest, 28);
    const size_t length =
        kCentralBytes + name_bytes + Get<uint16_t>(rest, 30) + Get<uint16_t>(rest, 32);
    if (length > rest.size()) break;
    const std::string_view name = rest.substr(kCentralBytes, name_bytes);
    const bool is_encrypted = (Get<uint16_t>(rest, 8) & kEncrypted) != 0;
    if (!is_encrypted && wanted(name)) {
      entries_.push_back({.name = std::string(name),
                          .offset = Get<uint32_t>(rest, 42),
                          .packed_bytes = Get<uint32_t>(rest, 20),
                          .checksum = Get<uint32_t>(rest, 16),
                          .method = Get<uint16_t>(rest, 10)});
    }
    rest.remove_prefix(length);
  }
  return {};
}

Result<std::string> ZipFile::Read(const ZipEntry& entry, size_t max_bytes) const {
  const std::string place = path_ + "!/" + entry.name;
  const Error damaged(place + " is damaged");
  const Result<std::string> local = ReadAt(entry.offset, kLocalBytes);
  if (!local || Get<uint32_t>(local.value(), 0) != kLocalSignature) return damaged;
  const uint64_t data = entry.offset + kLocalBytes + Get<uint16_t>(local.value(), 26) +
                        Get<uint16_t>(local.value(), 28);
  // In the worst case, compression makes a text slightly longer. An entry with more packed bytes
  // than that cannot hold a text of at most `max_bytes`, and is refused.
  if (entry.packed_bytes > max_bytes + max_bytes / 1000 + 1000) {
    return Error(place + " is too large for a source");
  }
  Result<std::string> packed = ReadAt(data, entry.packed_bytes);
  if (!packed) return damaged;
  std::string content;
  if (entry.method == kStored) {
    content = std::move(packed).value();
    if (content.size() > max_bytes) return Error(place + " is too large for a source");
  } else if (entry.method != kDeflated || !Inflate(packed.value(), max_bytes, &content)) {
    return Error(place + " is damaged, too large for a source, or packed in a rare way");
  }
  const uLong checksum =
      crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()));
  if (checksum != entry.checksum) return damaged;
  return content;
}

Result<std::string> ZipFile::ReadAt(uint64_t offset, uint64_t bytes) const {
  if (offset > size_ || bytes > size_ - offset) return Error(path_ + " is cut off");
  std::string content(bytes, '\0');
  for (size_t done = 0; done < content.size();) {
    const ssize_t got = pread(fd_.get(), content.data() + done, content.size() - done,
                              static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error::FromErrno("read", path_);
    if (got == 0) return Error(path_ + " is cut off");
    done += static_cast<size_t>(got);
  }
  return content;
}

}  // namespace jprof
