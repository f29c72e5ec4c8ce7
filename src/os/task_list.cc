#include "os/task_list.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "base/scoped_fd.h"
#include "os/process_information.h"
#include "os/read_file.h"
#include "sigsafe/os/thread_id.h"

namespace jprof {
namespace {

Result<std::string> StatusOf(Tid tid) {
  return ReadFile("/proc/self/task/" + std::to_string(Value(tid)) + "/status");
}

constexpr char kTaskDir[] = "/proc/self/task";

struct DirCloser {
  void operator()(DIR* dir) const { closedir(dir); }
};

// Returns the content of a file of the task; empty if the task has exited. The kernel returns such
// a file whole in one read. There is no second read to find the end of the file, because with
// thousands of tasks it would cost too much.
std::string TaskText(Tid tid, const char* name) {
  constexpr size_t kMaxText = 1024;  // enough for stat, which has 52 numbers
  char path[64];
  snprintf(path, sizeof path, "%s/%d/%s", kTaskDir, Value(tid), name);
  const ScopedFd fd(open(path, O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return {};
  char text[kMaxText];
  const ssize_t size = read(fd.get(), text, sizeof text);
  return {text, static_cast<size_t>(std::max<ssize_t>(size, 0))};
}

StackBounds AskOwnStackBounds() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* low = nullptr;
  size_t size = 0;
  const bool known = pthread_attr_getstack(&attributes, &low, &size) == 0;
  pthread_attr_destroy(&attributes);
  if (!known) return {};
  const auto address = reinterpret_cast<uintptr_t>(low);
  return {address, address + size};
}

}  // namespace

std::optional<bool> ParseBlocksSignal(std::string_view status, int signal) {
  constexpr std::string_view kKey = "\nSigBlk:\t";
  const size_t key_at = status.find(kKey);
  if (key_at == std::string_view::npos) return std::nullopt;
  const std::string_view digits = status.substr(key_at + kKey.size());
  uint64_t blocked = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), blocked, 16);
  if (parsed.ec != std::errc()) return std::nullopt;
  return (blocked >> (signal - 1) & 1) != 0;
}

std::optional<bool> TaskBlocksSignal(Tid tid, int signal) {
  const Result<std::string> status = StatusOf(tid);
  return status ? ParseBlocksSignal(status.value(), signal) : std::nullopt;
}

std::optional<bool> ParseSleeps(std::string_view status) {
  constexpr std::string_view kKey = "\nState:\t";
  const size_t key_at = status.find(kKey);
  if (key_at == std::string_view::npos || key_at + kKey.size() == status.size()) {
    return std::nullopt;
  }
  return status[key_at + kKey.size()] == 'S';
}

std::optional<bool> TaskSleeps(Tid tid) {
  const Result<std::string> status = StatusOf(tid);
  return status ? ParseSleeps(status.value()) : std::nullopt;
}

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

// Signal 0 is never delivered: the call only checks whether the thread exists.
bool TaskExists(Tid tid) { return syscall(SYS_tgkill, getpid(), Value(tid), 0) == 0; }

int CountTasks() {
  struct stat status;
  // A directory has a link for itself, one from its parent, and one per subdirectory.
  return stat(kTaskDir, &status) == 0 ? static_cast<int>(status.st_nlink) - 2 : -1;
}

std::string TaskName(Tid tid) {
  std::string name = TaskText(tid, "comm");
  while (!name.empty() && name.back() == '\n') name.pop_back();
  return name;
}

std::string CurrentTaskName() {
  char name[16] = {};  // with the terminating NUL (prctl(2), PR_GET_NAME)
  prctl(PR_GET_NAME, name);
  return name;
}

StackBounds OwnStackBounds() {
  if (CurrentTid() != Tid{getpid()}) return AskOwnStackBounds();
  static const StackBounds of_first_thread = AskOwnStackBounds();
  return of_first_thread;
}

std::string TaskStat(Tid tid) { return TaskText(tid, "stat"); }

std::string TaskSchedstat(Tid tid) { return TaskText(tid, "schedstat"); }

std::string TaskSyscall(Tid tid) { return TaskText(tid, "syscall"); }

uint64_t TaskStartTicks(Tid tid) {
  const std::string stat = TaskStat(tid);
  if (stat.empty()) return 0;
  const Result<int64_t> ticks = ParseStartTicks(stat);
  return ticks ? static_cast<uint64_t>(ticks.value()) : 0;
}

}  // namespace jprof
