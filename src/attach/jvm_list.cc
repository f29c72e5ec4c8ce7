#include "attach/jvm_list.h"

#include <dirent.h>
#include <pwd.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <string_view>

#include "attach/agent_library.h"
#include "attach/java_command.h"
#include "attach/jvm_texts.h"
#include "attach/proc_texts.h"
#include "attach/target_process.h"
#include "base/agent_contract.h"
#include "base/jdk_facts.h"
#include "base/scoped_fd.h"
#include "os/process_information.h"
#include "os/read_file.h"

namespace jprof {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

// Returns the numbers that are names of entries in a folder of /proc, in ascending order.
std::vector<pid_t> NumbersIn(const std::string& path) {
  std::vector<pid_t> numbers;
  const std::unique_ptr<DIR, CloseFolder> folder(opendir(path.c_str()));
  while (folder != nullptr) {
    const dirent* entry = readdir(folder.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    pid_t number = 0;
    const auto [rest, status] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (status == std::errc() && rest == name.data() + name.size()) numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::string TextOf(const std::string& path) {
  Result<std::string> text = ReadFile(path);
  return text ? std::move(text).value() : std::string();
}

std::string UserName(uid_t uid) {
  const passwd* entry = getpwuid(uid);
  return entry != nullptr ? entry->pw_name : std::to_string(uid);
}

// Returns the content of a release file. Opens only regular files: any user can map a file called
// libjvm.so and place a link to a device next to it.
std::string ReleaseText(const std::string& path) {
  const Result<ScopedFd> file = OpenRegularFile(path, LastLink::kRefuse);
  return file ? TextOf("/proc/self/fd/" + std::to_string(file.value().get())) : std::string();
}

// Returns the version of the JDK that contains `libjvm`, which is <home>/lib/server/libjvm.so, or
// in JDK 8 <home>/jre/lib/amd64/server/libjvm.so.
std::string JdkVersion(const std::string& proc, const std::string& libjvm) {
  constexpr int kDeepest = 5;
  const std::string root = proc + "/root";
  std::string folder = libjvm;
  for (int i = 0; i < kDeepest; ++i) {
    const size_t slash = folder.rfind('/');
    if (slash == std::string::npos) break;
    folder.resize(slash);
    std::string version = JavaVersionIn(ReleaseText(root + folder + "/release"));
    if (!version.empty()) return version;
  }
  return {};
}

bool IsRecording(const std::string& proc) {
  const std::vector<pid_t> threads = NumbersIn(proc + "/task");
  return std::any_of(threads.begin(), threads.end(), [&proc](pid_t tid) {
    return TextOf(proc + "/task/" + std::to_string(tid) + "/comm") ==
           std::string(kRecorderThreadName) + '\n';
  });
}

std::string ProfiledText(const std::string& proc, const std::vector<MappedFile>& files) {
  const bool loaded = std::any_of(files.begin(), files.end(), [](const MappedFile& file) {
    return file.Name().ends_with(kAgentFileName);
  });
  if (!loaded) return {};
  return IsRecording(proc) ? kProfiledRecording : "loaded";
}

std::optional<JvmDescription> Describe(pid_t pid) {
  const std::string proc = "/proc/" + std::to_string(pid);
  const Result<ProcessStatus> status = ParseProcessStatus(TextOf(proc + "/status"));
  if (!status || status.value().IsDead()) return std::nullopt;
  Result<std::vector<MappedFile>> mapped = MappedFilesOf(pid);
  const bool readable = mapped.ok();
  const std::vector<MappedFile> files =
      readable ? std::move(mapped).value() : std::vector<MappedFile>();
  const MappedFile* libjvm = FindMapped(files, "libjvm.so");
  const bool looks_like_one = !readable && TextOf(proc + "/comm") == "java\n";
  if (libjvm == nullptr && !looks_like_one) return std::nullopt;
  JvmDescription jvm;
  jvm.pid = pid;
  jvm.is_readable = readable;
  jvm.user = UserName(status.value().euid);
  if (libjvm != nullptr) jvm.jdk = JdkVersion(proc, libjvm->path);
  jvm.profiled = ProfiledText(proc, files);
  const std::vector<std::string> arguments = ParseCommandLine(TextOf(proc + "/cmdline"));
  const std::string command = ReadJvmTexts(pid, files, status.value().euid).java_command;
  jvm.program = ProgramOf(arguments, command);
  jvm.main = MainOf(arguments, command);
  return jvm;
}

bool IsLastPart(std::string_view program, std::string_view name) {
  if (!program.ends_with(name)) return false;
  if (program.size() == name.size()) return true;
  const char before = program[program.size() - name.size() - 1];
  return before == '/' || before == '.';
}

template <typename Predicate>
std::vector<JvmDescription> Filter(const std::vector<JvmDescription>& jvms, Predicate fits) {
  std::vector<JvmDescription> found;
  std::copy_if(jvms.begin(), jvms.end(), std::back_inserter(found),
               [&fits](const JvmDescription& jvm) { return fits(jvm.program) || fits(jvm.main); });
  return found;
}

}  // namespace

std::vector<JvmDescription> ListJvms() {
  std::vector<JvmDescription> jvms;
  for (const pid_t pid : NumbersIn("/proc")) {
    std::optional<JvmDescription> jvm = Describe(pid);
    if (jvm) jvms.push_back(std::move(*jvm));
  }
  return jvms;
}

void NameContainers(const ContainerFinder& finder, std::vector<JvmDescription>* jvms) {
  for (JvmDescription& jvm : *jvms) jvm.container = finder.NameOf(jvm.pid);
}

std::vector<JvmDescription> MatchingJvms(const std::vector<JvmDescription>& jvms,
                                         const std::string& name) {
  std::vector<JvmDescription> exact =
      Filter(jvms, [&name](const std::string& program) { return IsLastPart(program, name); });
  if (!exact.empty()) return exact;
  return Filter(jvms, [&name](const std::string& program) {
    return program.find(name) != std::string::npos;
  });
}

}  // namespace jprof
