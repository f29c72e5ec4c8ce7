#include "os/fork_watch.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <string>

#include "loader_lock/object_walk.h"
#include "os/task_list.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/forked_child.h"
#include "support/live_thread.h"
#include "support/sanitizer.h"

namespace jprof {
namespace {

constexpr unsigned kPatienceSeconds = 20;

// Runs `body` in a child that `fork_call` makes. Returns the wait status of the child: 0 if `body`
// returned true.
int EndOfChild(const std::function<pid_t()>& fork_call, const std::function<bool()>& body) {
  const pid_t child = fork_call();
  if (child == 0) {
    alarm(kPatienceSeconds);
    _exit(body() ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

// Forks without the fork handlers of the C library.
pid_t KernelFork() { return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)); }

// True if the thread waits for a lock, or if the kernel does not report what it waits for.
bool WaitsForALock(Tid tid) {
  const std::string call = TaskSyscall(tid);
  return call.empty() || call.starts_with(std::to_string(SYS_futex) + ' ');
}

int VisitNone(dl_phdr_info*, size_t, void*) { return 1; }

class ForkWatchTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(WatchForks()); }
};

TEST_F(ForkWatchTest, DistinguishesTheChildFromItsParent) {
  EXPECT_FALSE(InForkedChild());
  EXPECT_EQ(EndOfChild(fork, InForkedChild), 0);
  EXPECT_EQ(EndOfChild(KernelFork, InForkedChild), 0);
  EXPECT_FALSE(InForkedChild());
}

TEST_F(ForkWatchTest, AGrandchildIsAChildToo) {
  EXPECT_EQ(EndOfChild(fork, [] { return EndOfChild(fork, InForkedChild) == 0; }), 0);
}

TEST_F(ForkWatchTest, AChildOfVforkIsNoForkedChild) {
  if (test::kUnderTsan) GTEST_SKIP() << "ThreadSanitizer makes a fork of it";
  volatile bool answer = true;
  const pid_t child = vfork();
  if (child == 0) {
    answer = InForkedChild();
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(answer);
}

// After a fork in the middle of a walk, the linker's lock would be held forever in the child.
TEST_F(ForkWatchTest, NoForkInterruptsAWalkOfOurs) {
  test::LiveThread walker;
  std::atomic<bool> enough{false};
  walker.Start([&] {
    while (!enough.load()) {
      WalkLoadedObjects([](dl_phdr_info*, size_t, void*) { return usleep(20); }, nullptr);
    }
  });
  const auto walks = [] { return dl_iterate_phdr(VisitNone, nullptr) == 1; };
  int ended_well = 0;
  for (int i = 0; i < 50; ++i) ended_well += EndOfChild(fork, walks) == 0 ? 1 : 0;
  enough.store(true);
  walker.Finish();
  EXPECT_EQ(ended_well, 50);
}

// A walk and a fork wait for each other only for a limited time.
TEST_F(ForkWatchTest, AForkInsideTheProgramsOwnWalkGoesOn) {
  test::LiveThread walker;
  struct Forked {
    test::LiveThread* walker;
    int status;
  } forked = {&walker, -1};
  dl_iterate_phdr(
      [](dl_phdr_info*, size_t, void* data) {
        auto* const call = static_cast<Forked*>(data);
        std::atomic<bool> begun{false};
        call->walker->Start([&] {
          begun.store(true);
          WalkLoadedObjects(VisitNone, nullptr);
        });
        while (!begun.load() || !WaitsForALock(call->walker->tid())) usleep(100);
        call->status = EndOfChild(fork, InForkedChild);
        return 1;
      },
      &forked);
  walker.Finish();
  EXPECT_EQ(forked.status, 0);
}

}  // namespace
}  // namespace jprof
