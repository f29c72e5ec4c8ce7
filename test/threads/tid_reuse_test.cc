// A tid that the kernel gives to another thread. The kernel is told which tid comes next by
// ns_last_pid, which only the administrator of the pid namespace may write.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "support/live_thread.h"
#include "threads/registry_world.h"

namespace jprof {
namespace {

using test::LiveThread;

bool MakeNextTid(Tid tid) {
  const int fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const std::string before = std::to_string(Value(tid) - 1);
  const bool written = write(fd, before.data(), before.size()) > 0;
  close(fd);
  return written;
}

class TidReuseTest : public test::RegistryTest {};

TEST_F(TidReuseTest, AThreadThatGotTheTidOfAnEndedOneIsAnotherThread) {
  auto first = std::make_unique<LiveThread>();
  const Tid tid = first->tid();
  Rescan();
  const uint32_t serial = SerialOf(tid);
  first->End();
  usleep(50'000);  // threads are told apart by their start, known to 10 ms
  std::unique_ptr<LiveThread> second;
  for (int attempt = 0; attempt < 100; ++attempt) {  // others take tids as well
    if (!MakeNextTid(tid)) GTEST_SKIP() << "may not choose the next tid";
    second = std::make_unique<LiveThread>();
    if (second->tid() == tid) break;
  }
  if (second->tid() != tid) GTEST_SKIP() << "the kernel never gave the tid again";
  Rescan();
  EXPECT_NE(SerialOf(tid), serial);
  EXPECT_NE(SerialOf(tid), 0u);
  EXPECT_EQ(books_.ended.count(serial), 1u);
}

}  // namespace
}  // namespace jprof
