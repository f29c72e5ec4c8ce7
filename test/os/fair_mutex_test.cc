#include "os/fair_mutex.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "os/read_file.h"
#include "sigsafe/os/thread_id.h"

namespace jprof {
namespace {

void AwaitSleepOf(Tid tid) {
  const std::string stat = "/proc/self/task/" + std::to_string(Value(tid)) + "/stat";
  while (ReadFile(stat).value().find(") S ") == std::string::npos) std::this_thread::yield();
}

TEST(FairMutexTest, PrefersAWaitingThreadToThePreviousOwner) {
  for (int round = 0; round < 100; ++round) {
    FairMutex mutex;
    std::string order;
    std::atomic<Tid> waiting{Tid{0}};
    mutex.lock();
    std::thread waiter([&] {
      waiting.store(CurrentTid());
      mutex.lock();
      order += 'w';
      mutex.unlock();
    });
    while (waiting.load() == Tid{0}) std::this_thread::yield();
    AwaitSleepOf(waiting.load());
    mutex.unlock();
    mutex.lock();
    order += 'm';
    mutex.unlock();
    waiter.join();
    ASSERT_EQ(order, "wm") << "round " << round;
  }
}

}  // namespace
}  // namespace jprof
