// OpenSourceFolder: opens a folder with sources: a Maven or Gradle project, several modules, or
// packages. Part of SourceFinder.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "sources/source_finder.h"

namespace jprof {

Result<std::unique_ptr<SourcePlace>> OpenSourceFolder(const std::string& path);

}  // namespace jprof
