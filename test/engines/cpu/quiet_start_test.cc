// Tests that the start of a recording interrupts no system call of a thread that waits.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/epoll.h>

#include <atomic>
#include <ctime>
#include <memory>
#include <thread>
#include <vector>

#include "engines/cpu/cpu_engine.h"
#include "engines/engine_world.h"
#include "os/read_file.h"
#include "sigsafe/os/thread_id.h"
#include "threads/task_watcher.h"

namespace jprof {
namespace {

constexpr int kThreadsOfAKind = 100;

// The length of the recording: long enough for the first two checks of the TaskWatcher.
constexpr Nanos kRecordingNs = 2'300'000'000;

// Returns the state of a thread as the kernel shows it ('S' sleeping, 'R' running); '?' if unknown.
char StateOf(Tid tid) {
  const Result<std::string> stat =
      ReadFile("/proc/self/task/" + std::to_string(Value(tid)) + "/stat");
  const size_t name_end = stat ? stat.value().rfind(')') : std::string::npos;
  return name_end == std::string::npos ? '?' : stat.value().at(name_end + 2);
}

// Waiters has threads that wait in nanosleep, poll and epoll_wait, kThreadsOfAKind in each of these
// calls.
class Waiters {
 public:
  Waiters() {
    if (pipe2(pipe_, O_CLOEXEC) != 0) abort();
    for (int i = 0; i < kThreadsOfAKind; ++i) {
      for (int (Waiters::*wait)() const : {&Waiters::Sleep, &Waiters::Poll, &Waiters::Epoll}) {
        std::atomic<Tid> tid{Tid{0}};
        threads_.emplace_back([this, wait, &tid] {
          tid = CurrentTid();
          if ((this->*wait)() != 0) ++interrupted_;
        });
        while (tid.load() == Tid{0} || StateOf(tid) != 'S') std::this_thread::yield();
      }
    }
  }
  ~Waiters() {
    for (const int fd : pipe_) close(fd);
  }

  // Ends all threads and waits for them; returns the number of threads that were interrupted.
  int End() {
    if (write(pipe_[1], "", 1) != 1) abort();
    for (std::thread& thread : threads_) thread.join();
    return interrupted_;
  }

 private:
  // Sleeps longer than the recording.
  int Sleep() const {
    timespec time{4, 0};
    return nanosleep(&time, nullptr);
  }
  int Poll() const {
    pollfd gate{pipe_[0], POLLIN, 0};
    return poll(&gate, 1, -1) == 1 ? 0 : -1;
  }
  int Epoll() const {
    const int epoll = epoll_create1(EPOLL_CLOEXEC);
    epoll_event event{EPOLLIN, {}};
    epoll_ctl(epoll, EPOLL_CTL_ADD, pipe_[0], &event);
    const int events = epoll_wait(epoll, &event, 1, -1);
    close(epoll);
    return events == 1 ? 0 : -1;
  }

  int pipe_[2] = {};
  std::atomic<int> interrupted_{0};
  std::vector<std::thread> threads_;
};

class QuietStartTest : public test::EngineTest {
 protected:
  QuietStartTest() : EngineTest(kNanosPerSecond) {}
};

TEST_F(QuietStartTest, AStartInterruptsNoSystemCall) {
  Waiters waiters;
  registry_.Begin({});
  Rescan();
  EXPECT_GE(registry_.Counts().slots_in_use, size_t{3} * kThreadsOfAKind);
  {
    const auto engine =
        StartEngine<CpuEngine>(CpuChoice{CpuTrigger::kThreadTimers, 10'000'000, ""});
    const auto watcher = std::move(TaskWatcher::Start(registry_)).value();
    test::SleepThrough(kRecordingNs);
  }
  EXPECT_EQ(waiters.End(), 0);
}

}  // namespace
}  // namespace jprof
