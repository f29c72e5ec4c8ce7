// OpenDebugFile: the separate debug file of a stripped library.
//
// The file is searched for by build id (<root>/.build-id/xx/yyyy.debug), then by the name in the
// library's .gnu_debuglink: in the folder of the library, in its folder .debug, and below <root>
// (GDB manual, "Debugging Information in Separate Files"). Compressed "mini debug information"
// (.gnu_debugdata) is not read, since that needs an xz decoder.
//
// Thread-safe; not for signal handlers. Files are input and never trusted.
#pragma once

#include <string>

#include "base/result.h"
#include "elf/elf_image.h"
#include "elf/library_map.h"

namespace jprof {

inline constexpr char kDebugRoot[] = "/usr/lib/debug";

// Opens the debug file. Fails if there is none of the same build: the build ids must be equal, or,
// for a library without a build id, the checksum must be that of the link. `image`: the library's
// own image; nullptr if its file has been removed.
Result<ElfImage> OpenDebugFile(const Library& library, const ElfImage* image,
                               const std::string& root = kDebugRoot);

}  // namespace jprof
