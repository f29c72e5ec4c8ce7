#include "os/task_list.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

#include "base/scoped_fd.h"

namespace jprof {
namespace {

constexpr char kTaskDir[] = "/proc/self/task";

struct DirCloser {
  void operator()(DIR* dir) const { closedir(dir); }
};

std::string ReadTaskFile(Tid tid, const char* name) {
  const std::string path = std::string(kTaskDir) + '/' + std::to_string(Value(tid)) + '/' + name;
  const ScopedFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return {};
  char buffer[1024];  // a stat line has 52 numbers
  const ssize_t size = read(fd.get(), buffer, sizeof buffer);
  return size > 0 ? std::string(buffer, static_cast<size_t>(size)) : std::string();
}

}  // namespace

Result<std::vector<Tid>> ListTasks() {
  const std::unique_ptr<DIR, DirCloser> dir(opendir(kTaskDir));
  if (dir == nullptr) return Error::FromErrno("opendir", kTaskDir);
  std::vector<Tid> tids;
  while (const dirent* entry = readdir(dir.get())) {
    const int tid = std::atoi(entry->d_name);
    if (tid > 0) tids.push_back(Tid{tid});
  }
  return tids;
}

int CountTasks() {
  struct stat status;
  // A directory has a link for itself, one from its parent, and one per subdirectory.
  return stat(kTaskDir, &status) == 0 ? static_cast<int>(status.st_nlink) - 2 : -1;
}

std::string TaskName(Tid tid) {
  std::string name = ReadTaskFile(tid, "comm");
  while (!name.empty() && name.back() == '\n') name.pop_back();
  return name;
}

uint64_t TaskStartTicks(Tid tid) { return ParseStartTicks(ReadTaskFile(tid, "stat")); }

uint64_t ParseStartTicks(const std::string& stat) {
  constexpr int kFieldAfterName = 3;
  constexpr int kStartTime = 22;
  size_t at = stat.rfind(')');
  for (int field = kFieldAfterName; at != std::string::npos && field <= kStartTime; ++field) {
    at = stat.find(' ', at + 1);
  }
  return at == std::string::npos ? 0 : std::strtoull(stat.c_str() + at + 1, nullptr, 10);
}

}  // namespace jprof
