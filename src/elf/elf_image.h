// ElfImage reads a 64-bit ELF file, with bounds checks, from a ByteSource.
//
// Thread-safe; not for signal handlers. The file is never trusted: if it is truncated or hostile,
// the result is an Error, empty or wrong, but no read is out of bounds.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/scoped_fd.h"

namespace jprof {

// ByteSource reads the bytes of an ELF file by offset: from a file, from memory such as the vDSO,
// or from a copy of memory.
//
// A file is read and not mapped. If another program shrinks the file meanwhile, a read fails,
// whereas an access to a mapping would end the JVM with SIGBUS.
class ByteSource {
 public:
  // Opens a regular file.
  static Result<ByteSource> OpenFile(const std::string& path);

  // Reads from `fd`, a regular file that is open for reading. `path` is the file's name in errors.
  static Result<ByteSource> OfFile(ScopedFd fd, const std::string& path);

  // Reads from memory. REQUIRES: [begin, begin + size) stays readable while the source is used.
  static ByteSource Memory(const void* begin, size_t size);

  // Reads from `bytes`, which the source owns.
  static ByteSource Copy(std::vector<char> bytes);

  uint64_t size() const { return size_; }

  // Reads [offset, offset + n). Returns false if the range is not within the source or cannot be
  // read.
  bool Read(uint64_t offset, void* to, size_t n) const;

 private:
  ByteSource(ScopedFd fd, const char* memory, uint64_t size)
      : fd_(std::move(fd)), memory_(memory), size_(size) {}

  ScopedFd fd_;
  std::vector<char> copy_;
  const char* memory_;  // nullptr if read from fd_; stays valid when copy_ is moved
  uint64_t size_;
};

// Returns the build id in `notes`; empty if there is none. `notes` is the content of one PT_NOTE
// segment or SHT_NOTE section, and is never trusted.
std::string FindBuildId(std::string_view notes);

// Returns the bytes of a build id as lower-case hexadecimal digits.
std::string BuildIdText(std::string_view bytes);

// The maximum number of symbols of a table; a table with more is not read. The largest programs
// have far fewer, but a sparse file can claim to have any number of symbols.
inline constexpr uint64_t kMaxSymbols = uint64_t{1} << 24;
inline constexpr size_t kSymbolsPerRead = 2048;

class ElfImage {
 public:
  // Reads the header and the section headers. `name` is the image's name in errors.
  static Result<ElfImage> Parse(ByteSource bytes, std::string name);

  const std::string& name() const { return name_; }
  uint16_t machine() const { return header_.e_machine; }
  uint64_t bytes() const { return bytes_.size(); }

  // Each returns a section header; nullptr if there is no such section.
  const Elf64_Shdr* SectionAt(uint32_t index) const;
  const Elf64_Shdr* SectionOfType(uint32_t type) const;
  const Elf64_Shdr* SectionNamed(std::string_view name) const;

  // Reads [offset, offset + n) of the section's content. Returns false if the range is not within
  // the section and the file.
  bool Read(const Elf64_Shdr& section, uint64_t offset, void* to, size_t n) const;

  // Returns the string at `offset` of a string table; nullopt if it does not end within the table
  // or is unreasonably long.
  std::optional<std::string> StringAt(const Elf64_Shdr& strings, uint64_t offset) const;

  // Returns the program headers; empty if they lie outside the file.
  std::vector<Elf64_Phdr> Segments() const;

  // Returns the build id as hexadecimal digits; empty if the file has none.
  std::string BuildId() const;

 private:
  ElfImage(ByteSource bytes, std::string name, const Elf64_Ehdr& header)
      : bytes_(std::move(bytes)), name_(std::move(name)), header_(header) {}

  ByteSource bytes_;
  std::string name_;
  Elf64_Ehdr header_;
  std::vector<Elf64_Shdr> sections_;
};

}  // namespace jprof
