// OpenDebugFile: the separate file with the symbols that a library was stripped of.
//
// Looked for by build id (<root>/.build-id/xx/yyyy.debug), then by the name that the library's
// .gnu_debuglink gives: beside the library, in .debug beside it, and below <root> (GDB manual,
// "Debugging Information in Separate Files"). Compressed "mini debug information"
// (.gnu_debugdata) is not read: it would need an xz decoder in every JVM.
//
// Thread-safe; not for handlers. Files are input and never trusted.
#pragma once

#include <string>

#include "base/result.h"
#include "elf/elf_image.h"
#include "elf/library_map.h"

namespace jprof {

inline constexpr char kDebugRoot[] = "/usr/lib/debug";

// An error if there is none, or only one for another build: its build id must be the library's, or,
// for a library without one, its checksum what the link says. `image`: of the library itself,
// nullptr if its file is gone.
Result<ElfImage> OpenDebugFile(const Library& library, const ElfImage* image,
                               const std::string& root = kDebugRoot);

}  // namespace jprof
