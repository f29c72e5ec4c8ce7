// SourceFinder: finds the source text of a class in folders, archives and the JDK's src.zip.
//
// Names from recordings and the content of archives are not trusted: a name with ".." is refused,
// and so is a link that leads out of a folder. Only source files are read, and sizes are bounded.
//
// Not thread-safe. Reads files with the rights of its process; starts no process or thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sources/source_text.h"

namespace jprof {

// A place that can contain sources: a folder or an archive. Used only by SourceFinder.
class SourcePlace {
 public:
  virtual ~SourcePlace() = default;
  // Returns the source at a relative path, such as "com/example/Main.java". REQUIRES: the names in
  // `path` have been checked (source_name.h).
  virtual Result<SourceText> Read(const std::string& path) = 0;
};

class SourceFinder {
 public:
  SourceFinder() = default;

  // Returns a finder for sources in `places`. Fails for a place that Add refuses.
  static Result<SourceFinder> Of(const std::vector<std::string>& places);

  // Adds a folder (of sources, or of a Maven or Gradle project), a .jar or a .zip. If several
  // places contain a source, the one that was added first is used. The error is one line that names
  // a remedy.
  Status Add(const std::string& path);

  // Adds the src.zip of the JDK with this home. Returns false if the JDK has no src.zip that can be
  // read.
  bool AddJdk(const std::string& java_home);

  // Returns a text for each JDK archive whose version differs from `version`. The text names the
  // archive and its version: "'/jdk/lib/src.zip', of JDK 21.0.1".
  std::vector<std::string> JdksOtherThan(std::string_view version) const;

  bool empty() const { return places_.empty(); }

  // Finds a source as FindSource does.
  Result<SourceText> Find(std::string_view class_name, std::string_view file_name);

 private:
  std::vector<std::unique_ptr<SourcePlace>> places_;
  std::vector<std::string> archives_;  // paths of the archives among places_
};

}  // namespace jprof
