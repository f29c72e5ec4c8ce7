// Tests TaskEvents, and the watcher that uses them, with a fake kernel that reports threads.
// Instead of /proc/self/task, the fakes subscribe to a folder in which each thread that
// NativeThread starts makes a file. The linker replaces the calls to the kernel by the fakes
// (--wrap).

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <string>

#include "os/native_thread.h"
#include "sigsafe/os/clock.h"
#include "support/temp_folder.h"
#include "threads/registry_world.h"
#include "threads/task_watcher.h"

namespace jprof {
namespace {

enum class Kernel { kReports, kReportsNothing, kHasNoInotify };

std::atomic<Kernel> g_kernel{Kernel::kReports};
std::atomic<const test::TempFolder*> g_folder{nullptr};
std::atomic<int> g_files{0};
std::atomic<int> g_subscription{-1};

// Makes the file of a thread. The subscription reports the file as a new entry.
void AppearInFolder() {
  const test::TempFolder* const folder = g_folder.load();
  if (folder == nullptr || g_kernel.load() != Kernel::kReports) return;
  const std::string path = folder->File(std::to_string(g_files.fetch_add(1)));
  const int fd = open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  ASSERT_GE(fd, 0);
  close(fd);
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the linker's names
extern "C" {
int __real_inotify_init1(int flags);
int __real_inotify_add_watch(int fd, const char* path, uint32_t mask);
int __real_pthread_create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

int __wrap_inotify_init1(int flags) {
  if (g_kernel.load() != Kernel::kHasNoInotify) return __real_inotify_init1(flags);
  errno = EMFILE;
  return -1;
}

int __wrap_inotify_add_watch(int fd, const char* path, uint32_t mask) {
  EXPECT_STREQ(path, "/proc/self/task");
  g_subscription.store(fd);
  return __real_inotify_add_watch(fd, g_folder.load()->File(".").c_str(), mask);
}

int __wrap_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                          void* argument) {
  const int code = __real_pthread_create(thread, attributes, body, argument);
  if (code == 0) AppearInFolder();
  return code;
}
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace {

class TaskEventsTest : public test::RegistryTest {
 protected:
  TaskEventsTest() {
    g_kernel = Kernel::kReports;
    g_subscription = -1;
    g_folder = &folder_;
  }
  ~TaskEventsTest() override { g_folder = nullptr; }

  static void StartThread() {
    ASSERT_TRUE(NativeThread::Start("jprof-new", [] {}).ok());
  }

  template <typename Condition>
  static bool Eventually(Condition&& done) {
    const Nanos end_ns = MonotonicNanos() + 60 * kNanosPerSecond;
    while (!done()) {
      if (MonotonicNanos() > end_ns) return false;
      usleep(5000);
    }
    return true;
  }

  // Returns the bytes of events that have not been taken; -1 if the subscription has been closed.
  static int UntakenBytes() {
    int bytes = 0;
    return ioctl(g_subscription.load(), FIONREAD, &bytes) == 0 ? bytes : -1;
  }

 private:
  test::TempFolder folder_;
};

TEST_F(TaskEventsTest, AKernelThatReportsThreadsPassesTheSelfTest) {
  const TaskEvents events;
  EXPECT_TRUE(events.SelfTest());
}

TEST_F(TaskEventsTest, ReportsAreTakenOnceHoweverManyThereAre) {
  const TaskEvents events;
  EXPECT_FALSE(events.Take());
  for (int i = 0; i < 300; ++i) StartThread();  // more reports than one read has room for
  EXPECT_TRUE(events.Take());
  EXPECT_FALSE(events.Take());
  StartThread();
  EXPECT_TRUE(events.Take());
}

TEST_F(TaskEventsTest, AReportFromBeforeDoesNotPassTheSelfTest) {
  const TaskEvents events;
  StartThread();
  g_kernel = Kernel::kReportsNothing;
  EXPECT_FALSE(events.SelfTest());
}

TEST_F(TaskEventsTest, WithoutInotifyNothingIsReported) {
  g_kernel = Kernel::kHasNoInotify;
  const TaskEvents events;
  EXPECT_FALSE(events.SelfTest());
  EXPECT_FALSE(events.Take());
}

TEST_F(TaskEventsTest, TheWatcherTakesTheReportsOfAKernelThatHasThem) {
  Result<std::unique_ptr<TaskWatcher>> watcher = TaskWatcher::Start(registry_);
  ASSERT_TRUE(watcher.ok());
  ASSERT_TRUE(Eventually([] { return g_subscription.load() >= 0; }));
  for (int i = 0; i < 3; ++i) {
    StartThread();
    EXPECT_TRUE(Eventually([] { return UntakenBytes() == 0; })) << UntakenBytes();
  }
}

TEST_F(TaskEventsTest, TheWatcherGivesBackASubscriptionThatReportsNothing) {
  g_kernel = Kernel::kReportsNothing;
  Result<std::unique_ptr<TaskWatcher>> watcher = TaskWatcher::Start(registry_);
  ASSERT_TRUE(watcher.ok());
  EXPECT_TRUE(Eventually([] { return g_subscription.load() >= 0 && UntakenBytes() == -1; }));
}

}  // namespace
}  // namespace jprof
