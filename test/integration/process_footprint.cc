#include "integration/process_footprint.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace jprof::test {
namespace {

int64_t EntriesOf(const std::string& folder) {
  std::error_code gone;  // ignored: the process can end meanwhile
  const std::filesystem::directory_iterator entries(folder, gone);
  int64_t count = 0;
  for (auto entry = begin(entries); !gone && entry != end(entries); entry.increment(gone)) ++count;
  return count;
}

int64_t LinesOf(const std::string& path, const std::string& prefix = "") {
  std::ifstream file(path);
  int64_t count = 0;
  for (std::string line; std::getline(file, line);) count += line.starts_with(prefix) ? 1 : 0;
  return count;
}

// Returns the number after "key:" in the file, which has the form of /proc/self/status.
int64_t NumberOf(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key + ":")) return std::stoll(line.substr(key.size() + 1));
  }
  return 0;
}

}  // namespace

ProcessFootprint ProcessFootprint::Of(pid_t pid) {
  const std::string proc = "/proc/" + std::to_string(pid);
  ProcessFootprint footprint;
  footprint.resident_kb = NumberOf(proc + "/status", "VmRSS");
  footprint.threads = NumberOf(proc + "/status", "Threads");
  footprint.files = EntriesOf(proc + "/fd");
  footprint.mappings = LinesOf(proc + "/maps");
  footprint.timers = LinesOf(proc + "/timers", "ID:");
  footprint.pending_signals = NumberOf(proc + "/status", "SigQ");
  return footprint;
}

}  // namespace jprof::test
