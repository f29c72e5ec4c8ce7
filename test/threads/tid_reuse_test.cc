// Tests a tid that the kernel gives to another thread. The tests choose the next tid through
// ns_last_pid, which only the administrator of the pid namespace may write.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/live_thread.h"
#include "support/signal_body.h"
#include "threads/registry_world.h"

namespace jprof {
namespace {

using test::InSignal;
using test::LiveThread;

bool MakeNextTid(Tid tid) {
  const int fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const std::string before = std::to_string(Value(tid) - 1);
  const bool written = write(fd, before.data(), before.size()) > 0;
  close(fd);
  return written;
}

class TidReuseTest : public test::RegistryTest {
 protected:
  // Ends the thread `first` and returns a new thread with the same tid; nullptr if none gets it.
  std::unique_ptr<LiveThread> SuccessorOf(std::unique_ptr<LiveThread> first) {
    const Tid tid = first->tid();
    first->End();
    usleep(50'000);  // the starts of two threads can be distinguished if they are 10 ms apart
    for (int attempt = 0; attempt < 100; ++attempt) {  // other programs take tids as well
      if (!MakeNextTid(tid)) return nullptr;
      auto second = std::make_unique<LiveThread>();
      if (second->tid() == tid) return second;
    }
    return nullptr;
  }
};

TEST_F(TidReuseTest, AThreadWithAReusedTidIsAnotherThread) {
  auto first = std::make_unique<LiveThread>();
  const Tid tid = first->tid();
  Rescan();
  const uint32_t serial = SerialOf(tid);
  const auto second = SuccessorOf(std::move(first));
  if (second == nullptr) GTEST_SKIP() << "may not choose the next tid, or never got it";
  Rescan();
  EXPECT_NE(SerialOf(tid), serial);
  EXPECT_NE(SerialOf(tid), 0u);
  EXPECT_EQ(books_.ended.count(serial), 1u);
}

// No other thread may get the slot, because a handler of the new thread might be using the slot at
// this moment.
TEST_F(TidReuseTest, AThreadKeepsTheSlotFoundUnderItsTid) {
  auto earlier = std::make_unique<LiveThread>();
  Rescan();
  auto first = std::make_unique<LiveThread>();
  const Tid tid = first->tid();
  Rescan();
  ThreadSlot* slot = SlotOf(tid);
  const uint32_t serial = SerialOf(tid);
  slot->lost[0] = 7;
  const auto second = SuccessorOf(std::move(first));
  if (second == nullptr) GTEST_SKIP() << "may not choose the next tid, or never got it";
  ThreadSlot* adopted = nullptr;
  second->Run([&] { InSignal([&] { adopted = slots_.Adopt(slot->index); }); });
  ASSERT_EQ(adopted, slot);
  earlier->End();  // frees another slot, which a scan would give out first
  Rescan();
  EXPECT_EQ(SlotOf(tid), slot);
  EXPECT_NE(SerialOf(tid), serial);
  EXPECT_TRUE(slots_.IsTaken(slot->index));
  EXPECT_EQ(books_.ended.count(serial), 1u);
  EXPECT_EQ(books_.live.count(SerialOf(tid)), 1u);
  const std::vector<ThreadLoss> losses = registry_.TakeLosses();
  ASSERT_EQ(losses.size(), 1u);
  EXPECT_EQ(losses[0].serial, serial) << "the loss of the first thread";
  second->Run([&] { InSignal([&] { adopted = slots_.Adopt(test::kNoHint); }); });
  EXPECT_EQ(adopted, slot);
}

}  // namespace
}  // namespace jprof
