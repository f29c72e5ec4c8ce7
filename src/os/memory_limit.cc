#include "os/memory_limit.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "os/read_file.h"

namespace jprof {
namespace {

constexpr char kCgroupRoot[] = "/sys/fs/cgroup";

// Returns the number at the start of a file; nullopt if there is none: "max" means no limit.
std::optional<uint64_t> NumberIn(const std::string& path) {
  constexpr size_t kMostLimitBytes = 64;
  const Result<std::string> text = ReadFile(path, kMostLimitBytes);
  if (!text) return std::nullopt;
  uint64_t number = 0;
  const char* const end = text.value().data() + text.value().size();
  const auto [rest, status] = std::from_chars(text.value().data(), end, number);
  return status == std::errc() ? std::optional(number) : std::nullopt;
}

// Returns the smallest number in the files `name` of a cgroup and its parents. In a container, the
// path of the cgroup can be one of the host, which is not there; the limit is then in `root` itself.
std::optional<uint64_t> SmallestUpwards(const std::string& root, std::string path,
                                        const std::string& name) {
  std::optional<uint64_t> smallest;
  const auto take = [&](const std::string& folder) {
    const std::optional<uint64_t> limit = NumberIn(root + folder + "/" + name);
    if (limit) smallest = std::min(*limit, smallest.value_or(*limit));
  };
  for (; path.size() > 1; path.resize(path.rfind('/'))) take(path);
  take("");
  return smallest;
}

}  // namespace

std::optional<uint64_t> CgroupMemoryLimit(std::string_view cgroup, const std::string& root) {
  std::optional<uint64_t> smallest;
  while (!cgroup.empty()) {
    const size_t end = cgroup.find('\n');
    const std::string_view line = cgroup.substr(0, end);
    cgroup.remove_prefix(end == std::string_view::npos ? cgroup.size() : end + 1);
    // A line is "number:controllers:path" (cgroups(7)); v2 has no controllers.
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string controllers =
        "," + std::string(line.substr(first + 1, second - first - 1)) + ",";
    const std::string path(line.substr(second + 1));
    if (!path.starts_with('/') || path.find("/../") != std::string::npos) continue;
    std::optional<uint64_t> limit;
    if (controllers == ",,") {
      limit = SmallestUpwards(root, path, "memory.max");
    } else if (controllers.find(",memory,") != std::string::npos) {
      limit = SmallestUpwards(root + "/memory", path, "memory.limit_in_bytes");
    }
    if (limit) smallest = std::min(*limit, smallest.value_or(*limit));
  }
  return smallest;
}

uint64_t UsableMemoryBytes() {
  const auto pages = static_cast<uint64_t>(std::max(sysconf(_SC_PHYS_PAGES), 1L));
  const uint64_t machine = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const Result<std::string> cgroup = ReadFile("/proc/self/cgroup");
  if (!cgroup) return machine;
  return std::min(machine, CgroupMemoryLimit(cgroup.value(), kCgroupRoot).value_or(machine));
}

}  // namespace jprof
