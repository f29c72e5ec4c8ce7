// MethodInfo and ClassInfo describe methods and classes in a recording. They are copies that do not
// depend on the JVM.
//
// Plain values, usable on any thread. Strings are UTF-8.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace jprof {

// The class of frames that stand for no method, such as "jprof.[unloaded class]". The text in
// brackets is the name of the method and not of the class, because JMC reads a class name that
// starts with '[' as an array type.
inline constexpr char kMarkerClass[] = "jprof";

struct ClassLoaderInfo {
  std::string class_name;  // internal form
  std::string name;        // name that the program gave the loader; often empty
};

struct ClassInfo {
  std::string name;  // internal form: java/lang/String
  uint32_t modifiers = 0;
  bool hidden = false;
  // The name of the source file, such as "Main.kt". Empty if the name is unknown, or is that of the
  // outermost class ("String.java").
  std::string source_file = {};
  std::shared_ptr<const ClassLoaderInfo> loader;  // nullptr: the boot loader
};

// The line number of an unknown line; line numbers start at 1. The value is not -1, because
// async-profiler's converter shows -1 as 65535.
inline constexpr int32_t kUnknownLine = 0;

struct MethodInfo {
  struct Line {
    int32_t first_bci;
    int32_t number;
  };

  std::shared_ptr<const ClassInfo> declaring;  // never nullptr
  std::string name;
  std::string descriptor;
  uint32_t modifiers = 0;
  std::vector<Line> lines;  // ascending by first_bci; empty: the class file has no line numbers

  // Returns the source line of the bytecode index `bci`, or kUnknownLine.
  int32_t LineAt(int32_t bci) const {
    const auto after =
        std::upper_bound(lines.begin(), lines.end(), bci,
                         [](int32_t at, const Line& line) { return at < line.first_bci; });
    return bci < 0 || after == lines.begin() ? kUnknownLine : std::prev(after)->number;
  }
};

}  // namespace jprof
