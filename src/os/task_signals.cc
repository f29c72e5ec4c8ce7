#include "os/task_signals.h"

#include <charconv>
#include <cstdint>
#include <string>

#include "os/read_file.h"

namespace jprof {

std::optional<bool> ParseBlocksSignal(std::string_view status, int signal) {
  constexpr std::string_view kKey = "\nSigBlk:\t";
  const size_t key_at = status.find(kKey);
  if (key_at == std::string_view::npos) return std::nullopt;
  const std::string_view digits = status.substr(key_at + kKey.size());
  uint64_t blocked = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), blocked, 16);
  if (parsed.ec != std::errc()) return std::nullopt;
  return (blocked >> (signal - 1) & 1) != 0;
}

std::optional<bool> TaskBlocksSignal(Tid tid, int signal) {
  const Result<std::string> status =
      ReadFile("/proc/self/task/" + std::to_string(Value(tid)) + "/status");
  return status ? ParseBlocksSignal(status.value(), signal) : std::nullopt;
}

}  // namespace jprof
