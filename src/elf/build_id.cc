#include "elf/build_id.h"

#include "loader_lock/object_copy.h"

namespace jprof {

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

}  // namespace jprof
