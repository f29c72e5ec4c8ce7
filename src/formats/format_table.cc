#include "formats/format_table.h"

#include <algorithm>
#include <vector>

namespace jprof {
namespace {

constexpr std::string_view kRecordingExtension = ".jfr";

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::vector<std::string_view> ExtensionsOf(const FormatRow& row) {
  std::vector<std::string_view> extensions;
  std::string_view rest = row.extensions;
  while (!rest.empty()) {
    const std::string_view extension = rest.substr(0, rest.find(' '));
    extensions.push_back(extension);
    rest.remove_prefix(std::min(extension.size() + 1, rest.size()));
  }
  return extensions;
}

}  // namespace

bool HasExtension(std::string_view path, std::string_view extension) {
  if (path.size() < extension.size()) return false;
  path.remove_prefix(path.size() - extension.size());
  return std::equal(path.begin(), path.end(), extension.begin(),
                    [](char c, char lower) { return Lower(c) == lower; });
}

bool IsRecordingPath(std::string_view path) { return HasExtension(path, kRecordingExtension); }

const FormatRow* FormatTable::OfPath(std::string_view path) const {
  for (const FormatRow& row : rows_) {
    for (const std::string_view extension : ExtensionsOf(row)) {
      if (HasExtension(path, extension)) return &row;
    }
  }
  return nullptr;
}

const FormatRow* FormatTable::Named(std::string_view name) const {
  const auto row = std::find_if(rows_.begin(), rows_.end(),
                                [name](const FormatRow& each) { return each.name == name; });
  return row == rows_.end() ? nullptr : &*row;
}

Error FormatTable::UnknownFormat(const std::string& path, std::string_view other) const {
  return Error("'" + path + "' names no known format: use " + std::string(other) + Extensions());
}

std::string FormatTable::Extensions() const {
  std::vector<std::string_view> all;
  for (const FormatRow& row : rows_) {
    const std::vector<std::string_view> extensions = ExtensionsOf(row);
    all.insert(all.end(), extensions.begin(), extensions.end());
  }
  std::string text;
  for (size_t i = 0; i < all.size(); ++i) {
    if (i != 0) text += i + 1 == all.size() ? " or " : ", ";
    text += all[i];
  }
  return text;
}

}  // namespace jprof
