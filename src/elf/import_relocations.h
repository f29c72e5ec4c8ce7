// Relocation types that fill an import slot, for this processor.
#pragma once

#if defined(__x86_64__)
#include "elf/import_relocations_x64.h"  // IWYU pragma: export
#elif defined(__aarch64__)
#include "elf/import_relocations_aarch64.h"  // IWYU pragma: export
#else
#error "jprof knows x86-64 and AArch64"
#endif
