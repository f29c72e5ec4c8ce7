#include "profile/class_text.h"

#include <algorithm>

namespace jprof::profile {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kHexDigits = "0123456789abcdef";

bool ContainsOnly(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == text.npos;
}

// Cuts off two kinds of numbers. The first is added by the JVM to the name of a hidden class, such
// as "/0x0000000800c03000". (The JVM's own tables have '+' in place of '/', and JDK 8 writes this
// number in decimal.) The second is added by the JDK, up to version 20, to the name of a lambda,
// such as "$14".
void CutNumbersOfRun(std::string& name) {
  constexpr std::string_view kLambda = "$$Lambda$";
  if (const size_t sign = name.find_last_of("/+"); sign != name.npos) {
    const std::string_view suffix = std::string_view(name).substr(sign + 1);
    const bool is_hex = suffix.starts_with("0x") && ContainsOnly(suffix.substr(2), kHexDigits);
    const bool is_decimal = !suffix.empty() && ContainsOnly(suffix, kDigits);
    if (is_hex || (is_decimal && name.find("Lambda") < sign)) name.resize(sign);
  }
  const size_t lambda = name.rfind(kLambda);
  if (lambda == name.npos) return;
  const std::string_view number = std::string_view(name).substr(lambda + kLambda.size());
  if (ContainsOnly(number, kDigits)) name.resize(lambda + kLambda.size() - 1);
}

// Converts "java/util/HashMap" to "java.util.HashMap".
std::string DottedName(std::string name) {
  CutNumbersOfRun(name);
  std::ranges::replace(name, '/', '.');
  return name;
}

constexpr std::string_view kJdkPackages[] = {
#define JDK_PACKAGE(prefix) prefix,
#include "profile/jdk_packages.def"
#undef JDK_PACKAGE
};

}  // namespace

bool IsOfJdk(std::string_view class_text) {
  return std::ranges::any_of(kJdkPackages, [class_text](std::string_view prefix) {
    return class_text.starts_with(prefix);
  });
}

std::string ClassText(std::string name) {
  static constexpr std::string_view kPrimitives[] = {"Zboolean", "Bbyte", "Cchar",  "Sshort",
                                                     "Iint",     "Jlong", "Ffloat", "Ddouble"};
  const size_t dimensions = std::min(name.find_first_not_of('['), name.size());
  if (dimensions == 0 || dimensions == name.size()) return DottedName(std::move(name));
  std::string element = name.substr(dimensions);
  if (element.size() > 2 && element.front() == 'L' && element.back() == ';') {
    element = element.substr(1, element.size() - 2);
  } else if (element.size() == 1) {
    for (const std::string_view primitive : kPrimitives) {
      if (primitive[0] == element[0]) {
        element = primitive.substr(1);
        break;
      }
    }
  }
  element = DottedName(std::move(element));
  for (size_t i = 0; i < dimensions; ++i) element += "[]";
  return element;
}

bool IsSourceFileName(std::string_view text) {
  const size_t dot = text.rfind('.');
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == '/' || c == '\\' || c == '<') return false;
  }
  return dot != std::string_view::npos && dot != 0 && dot + 1 != text.size();
}

std::string SourcePathOf(std::string_view class_text, std::string_view file_name) {
  if (IsSourceFileName(file_name)) {
    std::string path(class_text.substr(0, class_text.rfind('.') + 1));
    std::replace(path.begin(), path.end(), '.', '/');
    return path.append(file_name);
  }
  // Arrays and generated classes have no source. Generated classes are lambdas, proxies and hidden
  // classes.
  if (class_text.empty() || class_text.find_first_of("/[+<") != std::string_view::npos) return {};
  if (class_text.find("$$") != std::string_view::npos) return {};
  const size_t package = class_text.rfind('.');
  const size_t simple = package == std::string_view::npos ? 0 : package + 1;
  const size_t inner = class_text.find('$', simple + 1);
  std::string path(class_text.substr(0, inner));
  std::replace(path.begin(), path.end(), '.', '/');
  return path + ".java";
}

}  // namespace jprof::profile
