// The operating system and processors of this machine, as the events jdk.OSInformation and
// jdk.CPUInformation describe them.
//
// Called once at start, on any thread outside handlers. Unknown texts are left out, unknown counts
// are one; nothing here fails.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace jprof {

struct CpuInformation {
  std::string model;        // "Intel(R) Xeon(R) ..." or "ARM Neoverse-N1"
  std::string description;  // vendor, family, features: one line each
  uint32_t sockets = 1;
  uint32_t cores = 1;
  uint32_t hardware_threads = 1;
};

// Distribution, kernel and C library, one line each.
std::string OsVersionText();

CpuInformation ReadCpuInformation();

// Of the machine, or of the container that it is for the process; empty: unknown.
std::string HostName();

// The value of PRETTY_NAME in os-release(5), unquoted; empty if there is none.
std::string ParsePrettyName(std::string_view os_release);

// /proc/cpuinfo as x86 and ARM kernels write it. ARM kernels report no sockets and cores: both
// are 0 then.
CpuInformation ParseCpuInfo(std::string_view cpuinfo);

}  // namespace jprof
