// OpenLibraryImage opens the file of a loaded library, or the vDSO's memory, as an ElfImage.
// OpenDebugFile opens the separate debug file of a stripped library.
//
// Thread-safe; not for signal handlers. The files are never trusted.
#pragma once

#include <string>

#include "base/result.h"
#include "base/scoped_fd.h"
#include "elf/elf_image.h"
#include "elf/library_map.h"

namespace jprof {

// Opens the file at the library's path. Fails if the file is missing, or has been replaced since
// the library was loaded (IsImageOf).
Result<ElfImage> OpenLibraryImage(const Library& library);

// Makes an image of `file`, which is open and might have been renamed or deleted by now. Fails if
// `file` is not the file that was loaded as `library`.
Result<ElfImage> OpenLibraryImage(const Library& library, ScopedFd file);

// True if `image` is of the file that was loaded as `library`. Compares the build ids. If neither
// has a build id, compares the addresses of the segments, which different versions of a file can
// share.
bool IsImageOf(const ElfImage& image, const Library& library);

inline constexpr char kDebugRoot[] = "/usr/lib/debug";

// Opens the debug file of the library. Searches for it first by the build id
// (`root`/.build-id/xx/yyyy.debug), then by the name in the .gnu_debuglink of `image`. A file of
// this name is searched for in the library's folder, in the folder .debug inside the library's
// folder, and below `root` (GDB manual, "Debugging Information in Separate Files"). Compressed
// "mini debug information" (.gnu_debugdata) is not read, because reading it needs an xz decoder.
//
// Fails if no debug file is of the same build as the library. If the library has a build id, the
// debug file must have the same one; else the debug file must have the checksum in .gnu_debuglink.
// `image` is the library's own image; nullptr if the library's file has been removed.
Result<ElfImage> OpenDebugFile(const Library& library, const ElfImage* image,
                               const std::string& root = kDebugRoot);

}  // namespace jprof
