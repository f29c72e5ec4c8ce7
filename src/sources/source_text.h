// SourceText is the source of a class. Writers of formats and the local server get a source by a
// function of the type FindSource, whichever process reads the source. Not thread-safe.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace jprof {

inline constexpr size_t kMaxSourceBytes = size_t{8} << 20;

struct SourceText {
  std::string text;
  // The place of the text: "/src/main/java/com/example/Main.java", or
  // "/jdk/lib/src.zip!/java.base/java/lang/String.java".
  std::string place;
  bool is_file = false;  // `place` is the path of a file, which an editor can open
};

// A function that returns the source of a class. `class_name`: "com.example.Main$Inner".
// `file_name`: "Main.java", as the recording has it; if `file_name` is empty, the file has the name
// of the class. An empty FindSource means that there are no sources.
using FindSource =
    std::function<Result<SourceText>(std::string_view class_name, std::string_view file_name)>;

// Returns the source at `path`, which has the form of paths in profiles: "com/example/Main.java" or
// "java.base/java/lang/String.java". If a recording does not name the source file, the path in the
// profile is made of the name of the class and ".java", but the source might be in another
// language. So if `find` finds nothing at such a path, FindSourceOfPath also looks for the class in
// files of other languages, such as Main.kt.
Result<SourceText> FindSourceOfPath(const FindSource& find, std::string_view path);

}  // namespace jprof
