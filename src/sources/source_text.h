// SourceText is the source of a class. FindSource is the type of function by which writers of
// formats and the local server get a source, whichever process reads it. Not thread-safe.
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

// Returns the source of a class. `class_name`: "com.example.Main$Inner"; `file_name`: "Main.java",
// as the recording has it; if it is empty, the file is named after the class. An empty function
// means that there are no sources.
using FindSource =
    std::function<Result<SourceText>(std::string_view class_name, std::string_view file_name)>;

// Returns the source at a path as profiles contain it: "com/example/Main.java",
// "java.base/java/lang/String.java". If a recording does not name the file, the profile names it
// after the class, with ".java"; so if `find` has no such file, a file of another language, such as
// Main.kt, is found too.
Result<SourceText> FindSourceOfPath(const FindSource& find, std::string_view path);

}  // namespace jprof
