// OpenDebugFile: the separate debug file of a stripped library.
//
// Located by build id (<root>/.build-id/xx/yyyy.debug), then by the name in the
// library's .gnu_debuglink: beside the library, in .debug beside it, and below <root> (GDB manual,
// "Debugging Information in Separate Files"). Compressed "mini debug information"
// (.gnu_debugdata) is not read, since that needs an xz decoder.
//
// Thread-safe; not for handlers. Files are input and never trusted.
#pragma once

#include <string>

#include "base/result.h"
#include "elf/elf_image.h"
#include "elf/library_map.h"

namespace jprof {

inline constexpr char kDebugRoot[] = "/usr/lib/debug";

// Fails if there is no debug file of the same build: the build ids must be equal, or, for a library
// without a build id, the checksum must be that of the link. `image`: of the library itself,
// nullptr if its file has been removed.
Result<ElfImage> OpenDebugFile(const Library& library, const ElfImage* image,
                               const std::string& root = kDebugRoot);

}  // namespace jprof
