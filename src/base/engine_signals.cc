#include "base/engine_signals.h"

#include <algorithm>

namespace jprof {
namespace {

constexpr std::string_view kSignalPrefix = "SIG";

bool EqualInAnyCase(std::string_view a, std::string_view b) {
  const auto upper = [](char c) { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; };
  return std::ranges::equal(a, b, {}, upper, upper);
}

}  // namespace

std::string SignalName(int signal) {
  if (signal == kWallSignal) return "SIGVTALRM";
  for (const SignalRow& row : kCpuSignals) {
    if (row.number == signal) return std::string(row.name);
  }
  return "signal " + std::to_string(signal);
}

std::optional<int> FindCpuSignal(std::string_view text) {
  for (const SignalRow& row : kCpuSignals) {
    if (EqualInAnyCase(text, row.name) ||
        EqualInAnyCase(text, row.name.substr(kSignalPrefix.size())) ||
        text == std::to_string(row.number)) {
      return row.number;
    }
  }
  return std::nullopt;
}

}  // namespace jprof
