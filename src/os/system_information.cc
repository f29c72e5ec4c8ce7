#include "os/system_information.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "os/read_file.h"

namespace jprof {
namespace {

using Fields = std::map<std::string, std::string, std::less<>>;
using CorePlace = std::pair<std::string, std::string>;  // socket and core within the socket

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

// Calls `visit` with each line of the text, without the line's end.
template <typename Visit>
void ForEachLine(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string ValueOf(const Fields& fields, std::string_view key) {
  const auto found = fields.find(key);
  return found != fields.end() ? found->second : std::string();
}

std::string ModelName(const Fields& first) {
  for (const char* key : {"model name", "Model", "cpu model", "Hardware"}) {
    if (std::string name = ValueOf(first, key); !name.empty()) return name;
  }
  const std::string implementer = ValueOf(first, "CPU implementer");
  const std::string part = ValueOf(first, "CPU part");
#define JPROF_ARM_CPU(its_implementer, its_part, name) \
  if (implementer == (its_implementer) && part == (its_part)) return name;
#include "os/arm_cpu_names.def"
#undef JPROF_ARM_CPU
  if (!implementer.empty()) return "ARM implementer " + implementer + " part " + part;
  return "unknown";
}

std::string Describe(const Fields& first) {
  static constexpr std::pair<const char*, const char*> kShown[] = {
      {"vendor_id", "Vendor"},      {"cpu family", "Family"},
      {"model", "Model"},           {"stepping", "Stepping"},
      {"microcode", "Microcode"},   {"CPU implementer", "Implementer"},
      {"CPU part", "Part"},         {"CPU variant", "Variant"},
      {"CPU revision", "Revision"}, {"CPU architecture", "Architecture"},
      {"flags", "Features"},        {"Features", "Features"},
  };
  std::string text;
  for (const auto& [key, label] : kShown) {
    const std::string value = ValueOf(first, key);
    if (value.empty()) continue;
    if (!text.empty()) text += '\n';
    text.append(label).append(": ").append(value);
  }
  return text;
}

void CountPlaces(const std::set<CorePlace>& places, CpuInformation* cpu) {
  std::set<std::string> sockets;
  for (const CorePlace& place : places) sockets.insert(place.first);
  cpu->sockets = static_cast<uint32_t>(sockets.size());
  cpu->cores = static_cast<uint32_t>(places.size());
}

// Returns the sockets and cores from sysfs. Used for kernels whose /proc/cpuinfo does not list
// them.
std::set<CorePlace> PlacesFromSysfs() {
  std::set<CorePlace> places;
  const long configured = sysconf(_SC_NPROCESSORS_CONF);
  for (long i = 0; i < configured; ++i) {
    const std::string topology = "/sys/devices/system/cpu/cpu" + std::to_string(i) + "/topology/";
    const Result<std::string> socket = ReadFile(topology + "physical_package_id");
    const Result<std::string> core = ReadFile(topology + "core_id");
    if (socket.ok() && core.ok()) places.emplace(Trim(socket.value()), Trim(core.value()));
  }
  return places;
}

}  // namespace

std::string ParsePrettyName(std::string_view os_release) {
  static constexpr std::string_view kKey = "PRETTY_NAME=";
  std::string name;
  ForEachLine(os_release, [&name](std::string_view line) {
    if (!line.starts_with(kKey)) return;
    line = Trim(line.substr(kKey.size()));
    if (line.size() >= 2 && (line.front() == '"' || line.front() == '\'')) {
      line = line.substr(1, line.size() - 2);
    }
    name = line;
  });
  return name;
}

CpuInformation ParseCpuInfo(std::string_view cpuinfo) {
  // The first value of each field in the file. The values of further processors are not needed,
  // because the processors of a machine differ only in their clock rates and ids.
  Fields first;
  std::set<CorePlace> places;
  uint32_t threads = 0;
  std::string socket;
  ForEachLine(cpuinfo, [&](std::string_view line) {
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) return;
    const std::string_view key = Trim(line.substr(0, colon));
    const std::string_view value = Trim(line.substr(colon + 1));
    if (key == "processor") ++threads;
    if (key == "physical id") socket = value;
    if (key == "core id") places.emplace(socket, value);
    first.emplace(key, value);
  });
  CpuInformation cpu;
  cpu.model = ModelName(first);
  cpu.description = Describe(first);
  cpu.hardware_threads = threads;
  CountPlaces(places, &cpu);
  return cpu;
}

std::string HostName() {
  utsname names;
  return uname(&names) == 0 ? names.nodename : "";
}

CpuInformation ReadCpuInformation() {
  const Result<std::string> text = ReadFile("/proc/cpuinfo");
  CpuInformation cpu = ParseCpuInfo(text.ok() ? text.value() : std::string());
  if (cpu.cores == 0) CountPlaces(PlacesFromSysfs(), &cpu);
  if (cpu.hardware_threads == 0) {
    cpu.hardware_threads = static_cast<uint32_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  }
  cpu.sockets = std::max(cpu.sockets, 1u);
  cpu.cores = std::max(cpu.cores, 1u);
  return cpu;
}

std::string OsVersionText() {
  std::string text;
  for (const char* path : {"/etc/os-release", "/usr/lib/os-release"}) {
    const Result<std::string> release = ReadFile(path);
    if (release.ok()) text = ParsePrettyName(release.value());
    if (!text.empty()) break;
  }
  utsname name = {};
  if (uname(&name) == 0) {
    if (!text.empty()) text += '\n';
    text.append("uname: ").append(name.sysname).append(" ").append(name.release).append(" ");
    text.append(name.version).append(" ").append(name.machine);
  }
#ifdef _CS_GNU_LIBC_VERSION  // musl has neither this name nor a version
  char libc[64];
  const size_t length = confstr(_CS_GNU_LIBC_VERSION, libc, sizeof libc);
  if (length > 1 && length <= sizeof libc) text.append("\nlibc: ").append(libc);
#endif
  return text;
}

}  // namespace jprof
