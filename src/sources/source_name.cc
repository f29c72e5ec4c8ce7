#include "sources/source_name.h"

#include <algorithm>
#include <array>

namespace jprof {
namespace {

constexpr auto kExtensions =
    std::to_array<std::string_view>({".java", ".kt", ".scala", ".groovy", ".clj", ".kts", ".aj"});

constexpr size_t kMaxPath = 1024;

// True for a name that may stand between two slashes of a path. "." and ".." need no check here:
// the names of classes are split at dots, so the name of a package contains no dot, and the name of
// a source file ends with an extension.
bool IsPlainName(std::string_view name) {
  return !name.empty() && name.size() <= 255 && std::ranges::none_of(name, [](char c) {
    return c == '/' || c == '\\' || c == '\0' || static_cast<unsigned char>(c) < ' ';
  });
}

}  // namespace

bool IsSourceName(std::string_view path) {
  return std::ranges::any_of(kExtensions,
                             [path](std::string_view each) { return path.ends_with(each); });
}

std::vector<std::string> SourcePathsOf(std::string_view class_name, std::string_view file_name) {
  if (class_name.size() > kMaxPath) return {};
  std::string folder;
  for (size_t dot = class_name.find('.'); dot != std::string_view::npos;
       dot = class_name.find('.')) {
    const std::string_view package = class_name.substr(0, dot);
    if (!IsPlainName(package)) return {};
    folder += std::string(package) + '/';
    class_name.remove_prefix(dot + 1);
  }
  // The outermost class of a nested class, or of a class that was made at run time
  // ("Main$$Lambda/0x0000").
  const std::string outermost(class_name.substr(0, class_name.find_first_of("$/", 1)));
  if (!IsPlainName(outermost)) return {};
  std::vector<std::string> paths;
  if (!file_name.empty()) {
    if (IsPlainName(file_name) && IsSourceName(file_name)) {
      paths.push_back(folder + std::string(file_name));
    }
    return paths;
  }
  for (const std::string_view extension : {".java", ".kt", ".scala", ".groovy"}) {
    paths.push_back(folder + outermost + std::string(extension));
  }
  // Kotlin compiles the functions of Main.kt to a class MainKt.
  constexpr std::string_view kFunctionsOfFile = "Kt";
  if (outermost.size() > kFunctionsOfFile.size() && outermost.ends_with(kFunctionsOfFile)) {
    paths.push_back(folder + outermost.substr(0, outermost.size() - kFunctionsOfFile.size()) +
                    ".kt");
  }
  return paths;
}

}  // namespace jprof
