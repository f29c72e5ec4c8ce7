#include "asgst/queue_service.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <vector>

namespace jprof::asgst {
namespace {

constexpr uint64_t kJavaThread = 0x1000;

void Handle(ASGST_Iterator*, void*, void*) {}

void HandleSlowly(ASGST_Iterator*, void*, void*) {
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

Tid EndedThread() {
  Tid tid{0};
  std::thread([&tid] { tid = Tid{gettid()}; }).join();
  return tid;
}

// The state in which the calling thread is kJavaThread.
class QueueServiceTest : public testing::Test {
 protected:
  QueueServiceTest() {
    EXPECT_EQ(pthread_key_create(&state_.thread_key, nullptr), 0);
    pthread_setspecific(state_.thread_key, reinterpret_cast<void*>(kJavaThread));
  }
  ~QueueServiceTest() override { pthread_key_delete(state_.thread_key); }

  // Enqueues an element, if there is room.
  void Fill(Queue* queue) const {
    const Queue::OwnerScope owner(queue, state_);
    ASSERT_EQ(owner.result(), kMore);
    static_cast<void>(queue->EnqueueRegisters(owner.buffer(), nullptr, nullptr));
  }

  static Queue* Register(Tid tid, ASGST_Handler handler) {
    return QueueService::OfProcess().Register({kJavaThread, tid}, 8, kApproximate, handler,
                                              nullptr);
  }

  ApiState state_;
};

TEST_F(QueueServiceTest, RemovesQueuesOfEndedThreadsWhileOtherQueuesAlwaysHaveElements) {
  constexpr int kPairs = 100;
  std::vector<Queue*> full;
  std::vector<Queue*> ended;
  for (int i = 0; i < kPairs; ++i) {
    full.push_back(Register(Tid{gettid()}, &HandleSlowly));
    ended.push_back(Register(EndedThread(), &Handle));
    ASSERT_NE(full.back(), nullptr);
    ASSERT_NE(ended.back(), nullptr);
  }
  size_t left = ended.size();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (left > 0 && std::chrono::steady_clock::now() < deadline) {
    for (Queue* const queue : full) Fill(queue);
    left = 0;
    for (const Queue* const queue : ended) left += queue->state == Queue::kFree ? 0 : 1;
  }
  EXPECT_EQ(left, 0U);
  for (const Queue* const queue : full) EXPECT_TRUE(QueueService::OfProcess().Deregister(queue));
}

}  // namespace
}  // namespace jprof::asgst
