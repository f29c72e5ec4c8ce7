#include "formats/firefox/java_parameters.h"

namespace jprof::firefox {
namespace {

std::string_view PrimitiveName(char code) {
  switch (code) {
    case 'B':
      return "byte";
    case 'C':
      return "char";
    case 'D':
      return "double";
    case 'F':
      return "float";
    case 'I':
      return "int";
    case 'J':
      return "long";
    case 'S':
      return "short";
    case 'Z':
      return "boolean";
    default:
      return {};
  }
}

// Removes the first type from `types`, and appends its name; false: that is none.
bool TakeType(std::string_view& types, std::string& out) {
  size_t dimensions = 0;
  while (dimensions < types.size() && types[dimensions] == '[') ++dimensions;
  types.remove_prefix(dimensions);
  if (types.empty()) return false;
  if (types.front() == 'L') {
    const size_t end = types.find(';');
    if (end == std::string_view::npos) return false;
    const std::string_view name = types.substr(1, end - 1);
    out += name.substr(name.find_last_of('/') + 1);
    types.remove_prefix(end + 1);
  } else {
    const std::string_view name = PrimitiveName(types.front());
    if (name.empty()) return false;
    out += name;
    types.remove_prefix(1);
  }
  for (; dimensions != 0; --dimensions) out += "[]";
  return true;
}

}  // namespace

std::string JavaParameters(std::string_view descriptor) {
  const size_t end = descriptor.find(')');
  if (!descriptor.starts_with('(') || end == std::string_view::npos) return {};
  std::string_view types = descriptor.substr(1, end - 1);
  std::string text = "(";
  while (!types.empty()) {
    if (text.size() != 1) text += ", ";
    if (!TakeType(types, text)) return {};
  }
  return text + ")";
}

}  // namespace jprof::firefox
