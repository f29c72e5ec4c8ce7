#include "os/fork_watch.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <new>
#include <utility>

#include "loader_lock/fork_turns.h"
#include "sigsafe/os/forked_child.h"

namespace jprof {
namespace {

ForkMark* g_mark = nullptr;  // set once, before the atfork handlers are registered

void InChild() { g_mark->store(false, std::memory_order_relaxed); }

Result<ForkMark*> MakeMark() {
  const auto page_bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* page =
      mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return Error::FromErrno("mmap", "mark for children of fork");
  static_cast<void>(madvise(page, page_bytes, MADV_WIPEONFORK));  // on failure InChild clears it
  return new (page) ForkMark(true);
}

}  // namespace

Status WatchForks() {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (g_mark != nullptr) return {};
  const Result<ForkMark*> mark = MakeMark();
  if (!mark) return mark.error();
  g_mark = mark.value();
  const int code = pthread_atfork(HoldObjectWalks, ReleaseObjectWalks, InChild);
  if (code != 0) {
    munmap(std::exchange(g_mark, nullptr), static_cast<size_t>(sysconf(_SC_PAGESIZE)));
    errno = code;
    return Error::FromErrno("pthread_atfork", "children of fork");
  }
  SetForkMark(g_mark);
  return {};
}

}  // namespace jprof
