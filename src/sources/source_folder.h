// OpenSourceFolder: sources in a folder: of a project of Maven or Gradle, of several modules, or of
// packages. Part of SourceFinder.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "sources/source_finder.h"

namespace jprof {

Result<std::unique_ptr<SourcePlace>> OpenSourceFolder(const std::string& path);

}  // namespace jprof
