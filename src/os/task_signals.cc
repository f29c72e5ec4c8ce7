#include "os/task_signals.h"

#include <charconv>
#include <cstdint>
#include <string>

#include "os/read_file.h"

namespace jprof {
namespace {

Result<std::string> StatusOf(Tid tid) {
  return ReadFile("/proc/self/task/" + std::to_string(Value(tid)) + "/status");
}

}  // namespace

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
  const Result<std::string> status = StatusOf(tid);
  return status ? ParseBlocksSignal(status.value(), signal) : std::nullopt;
}

std::optional<bool> ParseSleeps(std::string_view status) {
  constexpr std::string_view kKey = "\nState:\t";
  const size_t key_at = status.find(kKey);
  if (key_at == std::string_view::npos || key_at + kKey.size() == status.size()) {
    return std::nullopt;
  }
  return status[key_at + kKey.size()] == 'S';
}

std::optional<bool> TaskSleeps(Tid tid) {
  const Result<std::string> status = StatusOf(tid);
  return status ? ParseSleeps(status.value()) : std::nullopt;
}

}  // namespace jprof
