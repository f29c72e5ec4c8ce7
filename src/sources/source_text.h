// SourceText, FindSource: the source of a class, and the function by which writers and the local
// server ask for one without knowing who reads it. One thread.
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
  // "/src/main/java/com/example/Main.java", or "/jdk/lib/src.zip!/java.base/java/lang/String.java".
  std::string place;
  bool is_file = false;  // `place` is the path of a file, which an editor can open
};

// `class_name`: "com.example.Main$Inner"; `file_name`: "Main.java", as the recording says; empty:
// as the class is named. An empty function stands for no sources.
using FindSource =
    std::function<Result<SourceText>(std::string_view class_name, std::string_view file_name)>;

// Asks `find` for a path as profiles have it: "com/example/Main.java",
// "java.base/java/lang/String.java". Its name is that of the class where recordings do not name the
// file, so files of other languages are found too: Main.kt.
Result<SourceText> FindSourceOfPath(const FindSource& find, std::string_view path);

}  // namespace jprof
