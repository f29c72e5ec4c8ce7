// SourceFinder: finds the source text of a class in folders, archives and the JDK's src.zip.
//
// Names come from recordings, which anybody may have written, and archives from anywhere: no name
// leads out of a folder (no "..", no link out of it), only source files are read, and sizes are
// bounded.
//
// One thread. Reads files as its process; starts nothing.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace jprof {

inline constexpr size_t kMaxSourceBytes = size_t{8} << 20;

struct SourceText {
  std::string text;
  // "/src/main/java/com/example/Main.java", or "/jdk/lib/src.zip!/java.base/java/lang/String.java".
  std::string place;
  bool is_file = false;  // `place` is the path of a file, which an editor can open
};

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

  // Looks in `places`, as Add takes them; or, if `service` is a socket of a process that may read
  // them where this one may not, asks there (source_service.h).
  static Result<SourceFinder> Of(const std::vector<std::string>& places, int service = -1);

  // A folder (of sources, or of a project of Maven or Gradle), a .jar or a .zip; places added
  // first win. The error is one line with a remedy.
  Status Add(const std::string& path);

  // Adds the src.zip of the JDK with this home. False: it has none that can be read.
  bool AddJdk(const std::string& java_home);

  // The archives of JDKs that are of another version than this, with theirs: "/jdk/lib/src.zip, of
  // JDK 21.0.1".
  std::vector<std::string> JdksOtherThan(std::string_view version) const;

  bool empty() const { return places_.empty() && service_ < 0; }

  // `class_name`: "com.example.Main$Inner"; `file_name`: "Main.java", as the recording says; empty:
  // as the class is named.
  Result<SourceText> Find(std::string_view class_name, std::string_view file_name);

  // As Find, for a path as profiles have it: "com/example/Main.java",
  // "java.base/java/lang/String.java". Its name is that of the class where recordings do not name
  // the file, so files of other languages are found too: Main.kt.
  Result<SourceText> FindPath(std::string_view path);

 private:
  std::vector<std::unique_ptr<SourcePlace>> places_;
  std::vector<std::string> archives_;  // of them, by path
  int service_ = -1;                   // -1: none
};

}  // namespace jprof
