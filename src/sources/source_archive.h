// OpenSourceArchive: sources in a .jar or .zip: in packages, or in modules with packages, as in the
// JDK's src.zip. Part of SourceFinder.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "sources/source_finder.h"

namespace jprof {

// Fails for an archive without sources.
Result<std::unique_ptr<SourcePlace>> OpenSourceArchive(const std::string& path);

}  // namespace jprof
