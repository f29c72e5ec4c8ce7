#include "os/task_list.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <utility>

#include "os/process_information.h"
#include "os/read_file.h"

namespace jprof {
namespace {

constexpr char kTaskDir[] = "/proc/self/task";

struct DirCloser {
  void operator()(DIR* dir) const { closedir(dir); }
};

std::string TaskFile(Tid tid, const char* name) {
  return std::string(kTaskDir) + '/' + std::to_string(Value(tid)) + '/' + name;
}

}  // namespace

Result<std::vector<Tid>> ListTasks() {
  const std::unique_ptr<DIR, DirCloser> dir(opendir(kTaskDir));
  if (dir == nullptr) return Error::FromErrno("opendir", kTaskDir);
  std::vector<Tid> tids;
  while (const dirent* entry = readdir(dir.get())) {
    const int64_t tid = strtol(entry->d_name, nullptr, 10);  // 0 for "." and ".."
    if (tid > 0) tids.push_back(Tid{static_cast<int32_t>(tid)});
  }
  return tids;
}

// Signal 0 is checked and not sent.
bool TaskExists(Tid tid) { return syscall(SYS_tgkill, getpid(), Value(tid), 0) == 0; }

int CountTasks() {
  struct stat status;
  // A directory has a link for itself, one from its parent, and one per subdirectory.
  return stat(kTaskDir, &status) == 0 ? static_cast<int>(status.st_nlink) - 2 : -1;
}

std::string TaskName(Tid tid) {
  Result<std::string> read = ReadFile(TaskFile(tid, "comm"));
  if (!read) return {};
  std::string name = std::move(read).value();
  while (!name.empty() && name.back() == '\n') name.pop_back();
  return name;
}

uint64_t TaskStartTicks(Tid tid) {
  const Result<std::string> stat = ReadFile(TaskFile(tid, "stat"));
  if (!stat) return 0;
  const Result<int64_t> ticks = ParseStartTicks(stat.value());
  return ticks ? static_cast<uint64_t>(ticks.value()) : 0;
}

}  // namespace jprof
