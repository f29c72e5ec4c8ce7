#include "elf/build_id.h"

#include <elf.h>

#include <cstring>

namespace jprof {
namespace {

std::string Hexadecimal(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += kDigits[value >> 4];
    text += kDigits[value & 15];
  }
  return text;
}

size_t PaddedToFour(uint32_t size) { return (size_t{size} + 3) & ~size_t{3}; }

}  // namespace

std::string FindBuildId(std::string_view notes) {
  static constexpr std::string_view kGnu("GNU\0", 4);
  Elf64_Nhdr header;
  while (notes.size() >= sizeof header) {
    memcpy(&header, notes.data(), sizeof header);
    notes.remove_prefix(sizeof header);
    const size_t name_size = PaddedToFour(header.n_namesz);
    if (name_size > notes.size() || header.n_descsz > notes.size() - name_size) break;
    const std::string_view name = notes.substr(0, header.n_namesz);
    const std::string_view description = notes.substr(name_size, header.n_descsz);
    if (header.n_type == NT_GNU_BUILD_ID && name == kGnu) return Hexadecimal(description);
    const size_t entry_size = name_size + PaddedToFour(header.n_descsz);
    if (entry_size > notes.size()) break;
    notes.remove_prefix(entry_size);
  }
  return {};
}

}  // namespace jprof
