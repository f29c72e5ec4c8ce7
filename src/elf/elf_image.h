// ElfImage: a 64-bit ELF file behind bounds checks.
//
// Thread-safe; not for handlers. The input is never trusted: a truncated or hostile file gives an
// Error, an empty result or wrong names, but never a read out of bounds.
#pragma once

#include <elf.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "elf/byte_source.h"

namespace jprof {

// Limit per symbol table, many times that of the largest programs: a sparse file may claim any
// number at no cost.
inline constexpr uint64_t kMaxSymbols = uint64_t{1} << 24;
inline constexpr size_t kSymbolsPerRead = 2048;

class ElfImage {
 public:
  // Reads header and section headers. `name` is for errors.
  static Result<ElfImage> Parse(ByteSource bytes, std::string name);

  const std::string& name() const { return name_; }
  uint16_t machine() const { return header_.e_machine; }
  uint64_t bytes() const { return bytes_.size(); }

  // nullptr if there is none.
  const Elf64_Shdr* SectionAt(uint32_t index) const;
  const Elf64_Shdr* SectionOfType(uint32_t type) const;
  const Elf64_Shdr* SectionNamed(std::string_view name) const;

  // False if [offset, offset + n) of the section's content is not within section and file.
  bool Read(const Elf64_Shdr& section, uint64_t offset, void* to, size_t n) const;

  // The string at `offset` of a string table; nullopt if it does not end within the table or is
  // unreasonably long.
  std::optional<std::string> StringAt(const Elf64_Shdr& strings, uint64_t offset) const;

  // The program headers; empty if they lie outside the file.
  std::vector<Elf64_Phdr> Segments() const;

  // Hexadecimal; empty if the file has none.
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
