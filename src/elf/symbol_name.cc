#include "elf/symbol_name.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string_view>

namespace jprof {
namespace {

constexpr size_t kMaxMangled = 4096;  // longer names are not demangled

// The texts that can follow the parameters in the demangled name of a function.
constexpr std::string_view kQualifiers[] = {"",   " const", " volatile", " const volatile",
                                            " &", " &&",    " const &",  " const &&"};

// Returns the position of the '(' that matches the ')' at `close`; npos if there is none.
size_t OpeningOf(std::string_view name, size_t close) {
  size_t depth = 0;
  for (size_t i = close + 1; i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

std::string WithoutParameters(std::string name) {
  const size_t clone = std::min(name.find(" [clone "), name.size());
  const size_t close = name.rfind(')', clone);
  if (close == std::string::npos) return name;
  const std::string behind = name.substr(close + 1, clone - close - 1);
  if (std::ranges::find(kQualifiers, behind) == std::end(kQualifiers)) return name;
  const size_t open = OpeningOf(name, close);
  if (open == std::string::npos || open == 0) return name;
  return name.erase(open, clone - open);
}

}  // namespace

std::string DemangledName(const std::string& symbol) {
  std::string name = symbol.substr(0, symbol.find('@', 1));
  if (!name.starts_with("_Z") || name.size() > kMaxMangled) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&free)> demangled(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), free);
  return status == 0 && demangled != nullptr ? WithoutParameters(demangled.get()) : name;
}

}  // namespace jprof
