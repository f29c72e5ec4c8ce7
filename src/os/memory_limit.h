// UsableMemoryBytes: the memory that this process can use: that of the machine, or less if the
// process is in a container with a limit.
//
// Thread-safe; not for signal handlers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace jprof {

// Returns the smallest of the machine's memory and the limits of the cgroups of this process.
uint64_t UsableMemoryBytes();

// Returns the smallest memory limit of a process's cgroups and their parents; nullopt if they have
// no limit. Reads the files of cgroup v2 (memory.max) and v1 (memory.limit_in_bytes). `cgroup`: the
// content of /proc/<pid>/cgroup; `root`: the folder in which the cgroups are mounted, in a system
// /sys/fs/cgroup.
std::optional<uint64_t> CgroupMemoryLimit(std::string_view cgroup, const std::string& root);

}  // namespace jprof
