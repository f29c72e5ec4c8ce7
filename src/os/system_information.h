// The operating system and processors of this machine, as the events jdk.OSInformation and
// jdk.CPUInformation describe them.
//
// The functions are called once at start, on any thread outside signal handlers, and never fail.
// Unknown texts are left out, and unknown counts are 1.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace jprof {

struct CpuInformation {
  std::string model;        // "Intel(R) Xeon(R) ..." or "ARM Neoverse-N1"
  std::string description;  // vendor, family and features, one line each
  uint32_t sockets = 1;
  uint32_t cores = 1;
  uint32_t hardware_threads = 1;
};

// Returns the distribution, the kernel and the C library, one line each.
std::string OsVersionText();

CpuInformation ReadCpuInformation();

// Returns the host name of the machine, or of the container in which the process runs; empty if
// unknown.
std::string HostName();

// Returns the value of PRETTY_NAME in os-release(5), unquoted; empty if there is none.
std::string ParsePrettyName(std::string_view os_release);

// Parses /proc/cpuinfo as x86 and ARM kernels write it. Sets sockets and cores to 0 for ARM
// kernels, which do not report them.
CpuInformation ParseCpuInfo(std::string_view cpuinfo);

}  // namespace jprof
