#include "elf/elf_image.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "loader_lock/object_copy.h"

namespace jprof {
namespace {

constexpr size_t kMaxString = 32 << 10;  // bytes; the longest mangled names seen have a few KiB
constexpr size_t kMaxNotes = 64 << 10;

bool IsNativeElf64(const Elf64_Ehdr& header) {
  return memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
         header.e_ident[EI_DATA] == ELFDATA2LSB;
}

}  // namespace

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

Result<ElfImage> ElfImage::Parse(ByteSource bytes, std::string name) {
  Elf64_Ehdr header;
  if (!bytes.Read(0, &header, sizeof header) || !IsNativeElf64(header)) {
    return Error(name + " is not a little-endian 64-bit ELF file");
  }
  ElfImage image(std::move(bytes), std::move(name), header);
  if (header.e_shnum == 0) return image;  // an image without section headers
  if (header.e_shentsize != sizeof(Elf64_Shdr)) {
    return Error(image.name_ + ": section headers of unknown size");
  }
  image.sections_.resize(header.e_shnum);  // at most 4 MiB: e_shnum has 16 bits
  if (!image.bytes_.Read(header.e_shoff, image.sections_.data(),
                         image.sections_.size() * sizeof(Elf64_Shdr))) {
    return Error(image.name_ + ": section headers lie outside the file");
  }
  return image;
}

const Elf64_Shdr* ElfImage::SectionAt(uint32_t index) const {
  return index < sections_.size() ? &sections_[index] : nullptr;
}

const Elf64_Shdr* ElfImage::SectionOfType(uint32_t type) const {
  const auto found = std::ranges::find(sections_, type, &Elf64_Shdr::sh_type);
  return found != sections_.end() ? &*found : nullptr;
}

const Elf64_Shdr* ElfImage::SectionNamed(std::string_view name) const {
  const Elf64_Shdr* names = SectionAt(header_.e_shstrndx);
  if (names == nullptr) return nullptr;
  const auto found = std::ranges::find_if(sections_, [&](const Elf64_Shdr& section) {
    return StringAt(*names, section.sh_name) == name;
  });
  return found != sections_.end() ? &*found : nullptr;
}

bool ElfImage::Read(const Elf64_Shdr& section, uint64_t offset, void* to, size_t n) const {
  if (offset > section.sh_size || n > section.sh_size - offset) return false;
  uint64_t in_file = 0;
  if (__builtin_add_overflow(section.sh_offset, offset, &in_file)) return false;
  return bytes_.Read(in_file, to, n);
}

std::optional<std::string> ElfImage::StringAt(const Elf64_Shdr& strings, uint64_t offset) const {
  std::string text;
  char piece[256];
  while (offset < strings.sh_size && text.size() < kMaxString) {
    const size_t n = std::min<uint64_t>(sizeof piece, strings.sh_size - offset);
    if (!Read(strings, offset, piece, n)) return std::nullopt;
    const size_t length = strnlen(piece, n);
    text.append(piece, length);
    if (length < n) return text;
    offset += n;
  }
  return std::nullopt;
}

std::vector<Elf64_Phdr> ElfImage::Segments() const {
  if (header_.e_phentsize != sizeof(Elf64_Phdr)) return {};
  std::vector<Elf64_Phdr> segments(header_.e_phnum);  // at most 4 MiB: e_phnum has 16 bits
  if (!bytes_.Read(header_.e_phoff, segments.data(), segments.size() * sizeof(Elf64_Phdr))) {
    return {};
  }
  return segments;
}

std::string BuildIdText(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += kHexDigits[value >> 4];
    text += kHexDigits[value & 15];
  }
  return text;
}

std::string FindBuildId(std::string_view notes) { return BuildIdText(FindBuildIdNote(notes)); }

std::string ElfImage::BuildId() const {
  for (const Elf64_Shdr& section : sections_) {
    if (section.sh_type != SHT_NOTE || section.sh_size > kMaxNotes) continue;
    std::string notes(section.sh_size, '\0');
    if (!Read(section, 0, notes.data(), notes.size())) continue;
    if (std::string id = FindBuildId(notes); !id.empty()) return id;
  }
  return {};
}

}  // namespace jprof
