// Tests that the creator and the new thread see no difference with the wrappers, apart from the two
// calls to the observer.
#include "threads/creation_wrappers.h"

#include <limits.h>
#include <semaphore.h>
#include <unistd.h>

#include <thread>

#include "sigsafe/os/forked_child.h"
#include "support/sanitizer.h"
#include "threads/hook_world.h"

namespace jprof {
namespace {

using test::CountingObserver;
using test::Creator;
using test::InstallHook;

void* Return(void* argument) { return argument; }

sigset_t MaskNow() {
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  return mask;
}

bool IsBlocked(int signal) {
  const sigset_t mask = MaskNow();
  return sigismember(&mask, signal) == 1;
}

bool Same(const sigset_t& left, const sigset_t& right) {
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    if (sigismember(&left, signal) != sigismember(&right, signal)) return false;
  }
  return true;
}

void* StoreMask(void* mask) {
  *static_cast<sigset_t*>(mask) = MaskNow();
  return nullptr;
}

class Await {
 public:
  Await() { sem_init(&semaphore_, 0, 0); }
  ~Await() { sem_destroy(&semaphore_); }
  void Post() { sem_post(&semaphore_); }
  void Wait() {
    while (sem_wait(&semaphore_) != 0) {
    }
  }

 private:
  sem_t semaphore_;
};

class CreationWrappersTest : public testing::Test {
 protected:
  const Creator creator_{"now"};
  CountingObserver observer_;
  std::unique_ptr<PthreadHook> hook_ = InstallHook(observer_);
};

TEST_F(CreationWrappersTest, PassesOnRoutineArgumentAndResult) {
  int token = 0;
  EXPECT_EQ(creator_.Run(Return, &token), &token);
}

TEST_F(CreationWrappersTest, AThreadThatExitsIsAnnouncedAndKeepsItsResult) {
  int token = 0;
  EXPECT_EQ(creator_.Run([](void* argument) -> void* { pthread_exit(argument); }, &token), &token);
  EXPECT_EQ(observer_.starts, 1);
  EXPECT_EQ(observer_.ends, 1);
}

TEST_F(CreationWrappersTest, ACancelledThreadRunsItsCleanupAndIsAnnounced) {
  static std::atomic<int> cleanups;
  cleanups = 0;
  pthread_t thread;
  ASSERT_EQ(creator_.pthread(
                &thread, nullptr,
                [](void*) -> void* {
                  pthread_cleanup_push([](void*) { cleanups.fetch_add(1); }, nullptr);
                  for (;;) pause();
                  pthread_cleanup_pop(0);
                  return nullptr;
                },
                nullptr),
            0);
  ASSERT_EQ(pthread_cancel(thread), 0);
  void* result = nullptr;
  ASSERT_EQ(pthread_join(thread, &result), 0);
  EXPECT_EQ(result, PTHREAD_CANCELED);
  EXPECT_LE(cleanups, 1);  // none if the thread was cancelled before it pushed its cleanup
  EXPECT_EQ(observer_.starts, 1);
  EXPECT_EQ(observer_.ends, 1);
}

TEST_F(CreationWrappersTest, ThreadsOfAForkedChildAreCreatedAndNotAnnounced) {
  // This thread was announced in the parent, and ends in the child.
  EXPECT_EQ(creator_.Run(
                [](void* token) {
                  static const ForkMark copied{false};
                  SetForkMark(&copied);
                  return token;
                },
                this),
            this);
  int token = 0;
  EXPECT_EQ(creator_.Run(Return, &token), &token);
  SetForkMark(nullptr);
  EXPECT_EQ(observer_.starts, 1);
  EXPECT_EQ(observer_.ends, 0);
}

TEST_F(CreationWrappersTest, TheObserverIsNotCancelledInTheMiddle) {
  class Pausing : public CountingObserver {
   public:
    void OnNativeThreadStart(Nanos) override {
      inside.Post();
      go_on.Wait();  // a cancellation point
      CountingObserver::OnNativeThreadStart(0);
    }
    Await inside;
    Await go_on;
  } pausing;
  hook_.reset();
  hook_ = InstallHook(pausing);
  pthread_t thread;
  ASSERT_EQ(creator_.pthread(
                &thread, nullptr,
                [](void* argument) {
                  pthread_testcancel();
                  return argument;
                },
                nullptr),
            0);
  pausing.inside.Wait();
  pthread_cancel(thread);
  pausing.go_on.Post();
  void* result = nullptr;
  ASSERT_EQ(pthread_join(thread, &result), 0);
  EXPECT_EQ(result, PTHREAD_CANCELED) << "the cancellation waits until the thread's own code runs";
  EXPECT_EQ(pausing.starts, 1);
  hook_.reset();
}

TEST_F(CreationWrappersTest, ADetachedThreadIsAnnouncedToo) {
  static Await ran;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  ASSERT_EQ(creator_.pthread(
                &thread, &attributes,
                [](void*) -> void* {
                  ran.Post();
                  return nullptr;
                },
                nullptr),
            0);
  pthread_attr_destroy(&attributes);
  ran.Wait();
  while (observer_.ends == 0) usleep(100);
  EXPECT_EQ(observer_.starts, 1);
}

TEST_F(CreationWrappersTest, AFailedCreationReportsWhatTheOriginalReports) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, size_t{1} << 50);
  pthread_t thread;
  const int with_hook = creator_.pthread(&thread, &attributes, Return, nullptr);
  const sigset_t mask_with_hook = MaskNow();
  hook_.reset();
  const int without = creator_.pthread(&thread, &attributes, Return, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_NE(with_hook, 0);
  EXPECT_EQ(with_hook, without);
  EXPECT_TRUE(Same(mask_with_hook, MaskNow()));
  EXPECT_EQ(observer_.starts, 0);
}

TEST_F(CreationWrappersTest, ErrnoOfTheCreatorAndOfTheThreadIsKept) {
  class Erring : public CountingObserver {
   public:
    void OnNativeThreadStart(Nanos) override { errno = EBADF; }
    void OnNativeThreadEnd() override { errno = EBADF; }
  } erring;
  hook_.reset();
  hook_ = InstallHook(erring);
  errno = ERANGE;
  int seen = -1;
  creator_.Run(
      [](void* argument) -> void* {
        *static_cast<int*>(argument) = errno;
        return nullptr;
      },
      &seen);
  EXPECT_EQ(errno, ERANGE);
  EXPECT_EQ(seen, 0);
  hook_.reset();
}

TEST_F(CreationWrappersTest, BlocksSignalsOnlyDuringBothCalls) {
  class Looking : public NativeThreadObserver {
   public:
    void OnNativeThreadStart(Nanos) override {
      at_start = IsBlocked(SIGPROF) && IsBlocked(SIGVTALRM);
    }
    void OnNativeThreadEnd() override { at_end = IsBlocked(SIGPROF) && IsBlocked(SIGVTALRM); }
    std::atomic<bool> at_start{false};
    std::atomic<bool> at_end{false};
  } looking;
  hook_.reset();
  hook_ = InstallHook(looking);
  const sigset_t before = MaskNow();
  ASSERT_EQ(sigismember(&before, SIGPROF), 0);
  sigset_t in_thread;
  creator_.Run(StoreMask, &in_thread);
  EXPECT_TRUE(looking.at_start);
  EXPECT_TRUE(looking.at_end);
  EXPECT_TRUE(Same(in_thread, before));
  EXPECT_TRUE(Same(MaskNow(), before));
  hook_.reset();
}

TEST_F(CreationWrappersTest, ASignalThatTheCreatorBlocksStaysBlockedInBoth) {
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGPROF);
  sigaddset(&blocked, SIGUSR1);
  sigset_t original;
  pthread_sigmask(SIG_BLOCK, &blocked, &original);
  const sigset_t before = MaskNow();
  sigset_t in_thread;
  creator_.Run(StoreMask, &in_thread);
  EXPECT_TRUE(Same(in_thread, before));
  EXPECT_TRUE(Same(MaskNow(), before));
  pthread_sigmask(SIG_SETMASK, &original, nullptr);
}

TEST_F(CreationWrappersTest, KeepsAMaskInTheAttributes) {
  using SetMask = int (*)(pthread_attr_t*, const sigset_t*);
  const auto set_mask =
      reinterpret_cast<SetMask>(dlsym(RTLD_DEFAULT, "pthread_attr_setsigmask_np"));
  if (set_mask == nullptr) GTEST_SKIP() << "this C library has no masks in attributes";
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  for (const bool blocks_profiling : {false, true}) {
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGUSR1);
    if (blocks_profiling) sigaddset(&wanted, SIGPROF);
    ASSERT_EQ(set_mask(&attributes, &wanted), 0);
    sigset_t in_thread;
    creator_.Run(StoreMask, &in_thread, &attributes);
    EXPECT_TRUE(Same(in_thread, wanted));
  }
  pthread_attr_destroy(&attributes);
  EXPECT_EQ(observer_.starts, 2);
}

TEST_F(CreationWrappersTest, TheSmallestStackSuffices) {
  if (test::kUnderSanitizer) GTEST_SKIP() << "instrumented frames are larger";
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN), 0);
  int token = 0;
  EXPECT_EQ(creator_.Run(Return, &token, &attributes), &token);
  pthread_attr_destroy(&attributes);
  EXPECT_EQ(observer_.ends, 1);
}

// WaitingThread is a thread that waits until the test lets it end. Not copyable: the thread holds
// the address of its object.
class WaitingThread {
 public:
  explicit WaitingThread(decltype(&CreatePthread) create) {
    EXPECT_EQ(create(&thread_, nullptr, &WaitingThread::Run, this), 0);
  }
  WaitingThread(const WaitingThread&) = delete;
  WaitingThread& operator=(const WaitingThread&) = delete;

  void Finish() {
    go_on_.Post();
    EXPECT_EQ(pthread_join(thread_, nullptr), 0);
  }

 private:
  static void* Run(void* self) {
    static_cast<WaitingThread*>(self)->go_on_.Wait();
    return nullptr;
  }

  Await go_on_;
  pthread_t thread_;
};

TEST_F(CreationWrappersTest, AThreadCanOutliveTheHook) {
  WaitingThread thread(creator_.pthread);
  while (observer_.starts == 0) usleep(100);
  hook_.reset();
  thread.Finish();
  EXPECT_EQ(observer_.ends, 0) << "there is no observer any more";
}

TEST_F(CreationWrappersTest, TheNextObserverHearsTheEndOfAThreadOfTheFirst) {
  WaitingThread thread(creator_.pthread);
  while (observer_.starts == 0) usleep(100);
  hook_.reset();
  CountingObserver next;
  hook_ = InstallHook(next);
  thread.Finish();
  EXPECT_EQ(next.ends, 1);
  hook_.reset();
}

TEST_F(CreationWrappersTest, RemovalWaitsForThreadsInsideTheObserver) {
  class Slow : public NativeThreadObserver {
   public:
    void OnNativeThreadStart(Nanos) override {
      inside.Post();
      go_on.Wait();
      done = true;
    }
    void OnNativeThreadEnd() override {}
    Await inside;
    Await go_on;
    std::atomic<bool> done{false};
  } slow;
  hook_.reset();
  hook_ = InstallHook(slow);
  pthread_t thread;
  ASSERT_EQ(creator_.pthread(&thread, nullptr, Return, nullptr), 0);
  slow.inside.Wait();
  std::atomic<bool> done_when_removed{false};
  pthread_t remover;
  auto remove = [&] {
    hook_.reset();
    done_when_removed = slow.done.load();
  };
  using Remove = decltype(remove);
  // The remover is not a std::thread: the creation of a std::thread would be hooked, and the
  // removal would wait for its own thread.
  ASSERT_EQ(pthread_create(
                &remover, nullptr,
                [](void* argument) -> void* {
                  (*static_cast<Remove*>(argument))();
                  return nullptr;
                },
                &remove),
            0);
  slow.go_on.Post();
  pthread_join(remover, nullptr);
  pthread_join(thread, nullptr);
  EXPECT_TRUE(done_when_removed);
}

TEST_F(CreationWrappersTest, TenThousandThreadsAreEachAnnouncedOnceFromFourCreators) {
  constexpr int kCreators = 4;
  constexpr int kThreads = test::kUnderSanitizer ? 250 : 2500;
  std::vector<std::thread> creators;
  for (int i = 0; i < kCreators; ++i) {
    creators.emplace_back([this] {
      for (int thread = 0; thread < kThreads; ++thread) creator_.RunNothing();
    });
  }
  for (std::thread& thread : creators) thread.join();
  EXPECT_EQ(observer_.starts, kCreators * (kThreads + 1));
  EXPECT_EQ(observer_.ends, kCreators * (kThreads + 1));
}

// Hooks come and go while threads are created and libraries are loaded: no creation fails, no
// observer is called after its removal, and in the end all slots are as before.
TEST_F(CreationWrappersTest, HooksComeAndGoWhileThreadsAndLibrariesDo) {
  hook_.reset();
  std::thread([] {}).join();  // makes the linker bind the slot of libstdc++
  const auto slots = test::AllSlots();
  std::atomic<bool> stop{false};
  std::thread churn([&] {
    while (!stop) {
      const Creator creator("lazy");
      creator.RunNothing();
    }
  });
  std::thread creations([&] {
    while (!stop) creator_.RunNothing();
  });
  for (int round = 0; round < 100; ++round) {
    CountingObserver observer;
    const auto hook = InstallHook(observer);
    // CoverNewLibraries can leave out a library that is listed after new ones; a later call finds
    // it.
    while (observer.starts == 0) {
      hook->imports().CoverNewLibraries();
      creator_.RunNothing();
    }
  }
  stop = true;
  churn.join();
  creations.join();
  EXPECT_EQ(test::AllSlots(), slots);
}

}  // namespace
}  // namespace jprof
