#include "formats/page/editor_address.h"

#include <algorithm>

namespace jprof {
namespace {

struct Editor {
  std::string_view name, address;
};
constexpr Editor kEditors[] = {
#define EDITOR(name, address) {name, address},
#include "formats/page/editors.def"
#undef EDITOR
};

std::string_view SchemeOf(std::string_view address) {
  const size_t end = address.find("://");
  return end == std::string_view::npos ? std::string_view() : address.substr(0, end);
}

std::string Names() {
  std::string names;
  for (const Editor& editor : kEditors) names += std::string(editor.name) + ", ";
  return names;
}

}  // namespace

std::vector<std::string_view> EditorAddress::Schemes() {
  std::vector<std::string_view> schemes = {"http", "https"};
  for (const Editor& editor : kEditors) schemes.push_back(SchemeOf(editor.address));
  return schemes;
}

Result<EditorAddress> EditorAddress::Parse(std::string_view text) {
  if (text.empty()) return EditorAddress();
  for (const Editor& editor : kEditors) {
    if (editor.name == text) return EditorAddress{std::string(editor.address), true};
  }
  const std::vector<std::string_view> schemes = Schemes();
  const bool has_scheme =
      std::find(schemes.begin(), schemes.end(), SchemeOf(text)) != schemes.end();
  const bool is_plain =
      std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (has_scheme && is_plain && text.find("{path}") != std::string_view::npos) {
    return EditorAddress{std::string(text), false};
  }
  return Error(
      "'" + std::string(text) + "' names no editor: use " + Names() +
      "or an http, https or editor address that contains {path}, and {line} if it takes a line.");
}

}  // namespace jprof
