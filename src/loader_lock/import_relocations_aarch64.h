// The relocation types that fill an import slot. On AArch64 this file is included as
// import_relocations.h.
#pragma once

#include <elf.h>

#include <cstdint>

namespace jprof {

inline constexpr uint32_t kJumpSlotRelocation = R_AARCH64_JUMP_SLOT;
inline constexpr uint32_t kGlobDatRelocation = R_AARCH64_GLOB_DAT;

}  // namespace jprof
