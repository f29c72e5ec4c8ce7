// SourceFinder: finds the source text of a class in folders, archives and the JDK's src.zip.
//
// Names come from recordings, which anybody may have written, and archives from anywhere: no name
// leads out of a folder (no "..", no link out of it), only source files are read, and sizes are
// bounded.
//
// One thread. Reads files as its process; starts nothing.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sources/source_text.h"

namespace jprof {

// A place that sources are looked for in. Part of SourceFinder.
class SourcePlace {
 public:
  virtual ~SourcePlace() = default;
  // `path`: relative, of checked names: "com/example/Main.java".
  virtual Result<SourceText> Read(const std::string& path) = 0;
};

class SourceFinder {
 public:
  SourceFinder() = default;

  // Looks in `places`, as Add takes them.
  static Result<SourceFinder> Of(const std::vector<std::string>& places);

  // A folder (of sources, or of a project of Maven or Gradle), a .jar or a .zip; places added
  // first win. The error is one line with a remedy.
  Status Add(const std::string& path);

  // Adds the src.zip of the JDK with this home. False: it has none that can be read.
  bool AddJdk(const std::string& java_home);

  // The archives of JDKs that are of another version than this, with theirs: "/jdk/lib/src.zip, of
  // JDK 21.0.1".
  std::vector<std::string> JdksOtherThan(std::string_view version) const;

  bool empty() const { return places_.empty(); }

  // Answers as a FindSource.
  Result<SourceText> Find(std::string_view class_name, std::string_view file_name);

 private:
  std::vector<std::unique_ptr<SourcePlace>> places_;
  std::vector<std::string> archives_;  // of them, by path
};

}  // namespace jprof
