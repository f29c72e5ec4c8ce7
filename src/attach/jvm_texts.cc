#include "attach/jvm_texts.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/perf_counters.h"
#include "base/scoped_fd.h"
#include "os/read_file.h"

namespace jprof {
namespace {

// The maximum number of bytes to read. The file has 32 KB by default (PerfDataMemorySize).
constexpr size_t kMostBytes = size_t{16} << 20;
constexpr size_t kLongestText = 1024;
constexpr std::string_view kFolder = "/hsperfdata_";

std::string TextOf(const PerfCounters& counters, std::string_view name) {
  const char* text = counters.Text(name);
  return text == nullptr ? std::string() : std::string(text);
}

// Returns the content of the JVM's file of counters; empty if there is none that belongs to
// `owner`.
std::string PerfDataOf(pid_t pid, const std::vector<MappedFile>& files, uid_t owner) {
  const auto mapped = std::ranges::find_if(files, [](const MappedFile& file) {
    return file.path.find(kFolder) != std::string::npos && !file.deleted;
  });
  if (mapped == files.end()) return {};
  const std::string path = "/proc/" + std::to_string(pid) + "/root" + mapped->path;
  const Result<ScopedFd> file = OpenRegularFile(path, LastLink::kRefuse);
  struct stat info;
  if (!file || fstat(file.value().get(), &info) != 0 || info.st_uid != owner) return {};
  Result<std::string> bytes =
      ReadFile("/proc/self/fd/" + std::to_string(file.value().get()), kMostBytes);
  return bytes ? std::move(bytes).value() : std::string();
}

}  // namespace

JvmTexts ReadJvmTexts(pid_t pid, const std::vector<MappedFile>& files, uid_t owner) {
  const std::string bytes = PerfDataOf(pid, files, owner);
  const PerfCounters counters = PerfCounters::Parse(bytes.data(), bytes.size());
  JvmTexts texts;
  texts.java_command = TextOf(counters, "sun.rt.javaCommand");
  if (texts.java_command == "Unknown") texts.java_command.clear();
  const char* arguments = counters.Text("java.rt.vmArgs");
  if (arguments == nullptr) return texts;
  texts.vm_arguments = TextOf(counters, "java.rt.vmFlags") + ' ' + arguments;
  texts.has_all_vm_arguments = std::strlen(arguments) + 1 < kLongestText;
  return texts;
}

}  // namespace jprof
