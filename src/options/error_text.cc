#include "options/error_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <numeric>

namespace jprof {
namespace {

constexpr size_t kLongestQuote = 80;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Returns the Levenshtein distance, ignoring the case of `word`. Computes it row by row: row[j] is
// the distance of the part of `word` seen so far to the first j letters of `name`.
size_t EditDistance(std::string_view word, std::string_view name) {
  std::vector<size_t> row(name.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (const char letter : word) {
    size_t diagonal = row[0]++;
    for (size_t j = 1; j < row.size(); ++j) {
      const size_t replaced = diagonal + (Lower(letter) == name[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string Quote(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text.substr(0, kLongestQuote)) {
    if (c >= ' ' && c <= '~') {
      quoted += c;
      continue;
    }
    char escaped[5];
    std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(c));
    quoted += escaped;
  }
  if (text.size() > kLongestQuote) quoted += "...";
  return quoted + "'";
}

std::optional<std::string_view> NearestName(std::string_view word,
                                            const std::vector<std::string_view>& names) {
  std::optional<std::string_view> nearest;
  size_t limit = std::min<size_t>(2, (word.size() + 1) / 3);
  for (const std::string_view name : names) {
    if (word.size() > name.size() + limit) continue;
    const size_t distance = EditDistance(word, name);
    if (distance > limit || (nearest && distance == limit)) continue;
    limit = distance;
    nearest = name;
  }
  return nearest;
}

std::string UnitlessNumberHint(std::string_view text, std::string_view means) {
  const bool is_bare = text.find_first_not_of("0123456789") == std::string_view::npos;
  return is_bare ? "; without unit " + std::string(means) : "";
}

std::string Join(const std::vector<std::string_view>& names) {
  std::string joined;
  for (const std::string_view name : names) {
    if (!joined.empty()) joined += ", ";
    joined += name;
  }
  return joined;
}

std::string UnknownName(std::string_view kind, std::string_view word,
                        const std::vector<std::string_view>& names) {
  std::string message = "unknown " + std::string(kind) + " " + Quote(word) + ": ";
  if (const auto nearest = NearestName(word, names)) {
    return message + "did you mean " + Quote(*nearest) + "?";
  }
  return message + "known are " + Join(names);
}

}  // namespace jprof
