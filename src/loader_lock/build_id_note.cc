#include "loader_lock/build_id_note.h"

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace jprof {
namespace {

size_t PaddedToFour(uint32_t size) { return (size_t{size} + 3) & ~size_t{3}; }

}  // namespace

std::string_view FindBuildIdNote(std::string_view notes) {
  static constexpr std::string_view kGnu("GNU\0", 4);
  Elf64_Nhdr header;
  while (notes.size() >= sizeof header) {
    memcpy(&header, notes.data(), sizeof header);
    notes.remove_prefix(sizeof header);
    const size_t name_size = PaddedToFour(header.n_namesz);
    if (name_size > notes.size() || header.n_descsz > notes.size() - name_size) break;
    const std::string_view name(notes.data(), header.n_namesz);
    const std::string_view description(notes.data() + name_size, header.n_descsz);
    if (header.n_type == NT_GNU_BUILD_ID && name == kGnu) return description;
    const size_t entry_size = name_size + PaddedToFour(header.n_descsz);
    if (entry_size > notes.size()) break;
    notes.remove_prefix(entry_size);
  }
  return {};
}

bool IsHexOf(std::string_view digits, std::string_view bytes) {
  if (digits.size() != 2 * bytes.size()) return false;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    if (digits[2 * i] != kHexDigits[byte >> 4] || digits[2 * i + 1] != kHexDigits[byte & 15]) {
      return false;
    }
  }
  return true;
}

}  // namespace jprof
