// FakeElf builds an ELF file in memory with the symbols that a test adds.
//
// The sections are: 1 .text (code) at 0x1000-0x2000; 2 .data at 0x3000-0x4000; then names and
// symbols.
#pragma once

#include <elf.h>

#include <cstring>
#include <string>
#include <vector>

#include "elf/elf_image.h"

namespace jprof {

inline constexpr uint16_t kText = 1;
inline constexpr uint16_t kData = 2;

class FakeElf {
 public:
  explicit FakeElf(uint16_t machine = EM_X86_64) : machine_(machine) {
    Add("", 0, 0, STT_NOTYPE, STB_LOCAL, SHN_UNDEF);
  }

  FakeElf& Add(const std::string& name, uint64_t start, uint64_t size, unsigned type = STT_FUNC,
               unsigned binding = STB_GLOBAL, uint16_t section = kText) {
    Elf64_Sym symbol = {};
    symbol.st_name = static_cast<Elf64_Word>(strings_.size());
    if (name.empty()) symbol.st_name = 0;
    symbol.st_info = static_cast<unsigned char>(ELF64_ST_INFO(binding, type));
    symbol.st_shndx = section;
    symbol.st_value = start;
    symbol.st_size = size;
    symbols_.push_back(symbol);
    strings_ += name + '\0';
    return *this;
  }

  FakeElf& AsDynamic() {
    table_type_ = SHT_DYNSYM;
    return *this;
  }

  std::string Bytes() const {
    const uint64_t strings_at = sizeof(Elf64_Ehdr);
    const uint64_t symbols_at = (strings_at + strings_.size() + 7) / 8 * 8;
    const uint64_t symbols_size = symbols_.size() * sizeof(Elf64_Sym);
    Elf64_Shdr sections[5] = {};
    sections[kText] = Section(SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, 0, 0x1000);
    sections[kData] = Section(SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x3000, 0, 0x1000);
    sections[3] = Section(SHT_STRTAB, 0, 0, strings_at, strings_.size());
    sections[4] = Section(table_type_, 0, 0, symbols_at, symbols_size);
    sections[4].sh_link = 3;
    sections[4].sh_entsize = sizeof(Elf64_Sym);

    Elf64_Ehdr header = {};
    memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_machine = machine_;
    header.e_shoff = symbols_at + symbols_size;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = 5;

    std::string bytes(header.e_shoff + sizeof sections, '\0');
    memcpy(bytes.data(), &header, sizeof header);
    memcpy(bytes.data() + strings_at, strings_.data(), strings_.size());
    memcpy(bytes.data() + symbols_at, symbols_.data(), symbols_size);
    memcpy(bytes.data() + header.e_shoff, sections, sizeof sections);
    return bytes;
  }

 private:
  static Elf64_Shdr Section(uint32_t type, uint64_t flags, uint64_t address, uint64_t offset,
                            uint64_t size) {
    Elf64_Shdr section = {};
    section.sh_type = type;
    section.sh_flags = flags;
    section.sh_addr = address;
    section.sh_offset = offset;
    section.sh_size = size;
    return section;
  }

  uint16_t machine_;
  uint32_t table_type_ = SHT_SYMTAB;
  std::string strings_;
  std::vector<Elf64_Sym> symbols_;
};

// Parses `bytes`. REQUIRES: `bytes` outlives the image.
inline Result<ElfImage> ParseBytes(const std::string& bytes) {
  return ElfImage::Parse(ByteSource::Memory(bytes.data(), bytes.size()), "test.so");
}

}  // namespace jprof
