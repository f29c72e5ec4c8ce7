#include "threads/thread_scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sigsafe/os/clock.h"
#include "support/live_thread.h"
#include "threads/registry_world.h"

namespace jprof {
namespace {

using test::LiveThread;
using testing::ElementsAre;

constexpr time_t kPatienceSeconds = 20;  // time after which a faulty build fails a test

class Gate {
 public:
  Gate() { sem_init(&semaphore_, 0, 0); }
  ~Gate() { sem_destroy(&semaphore_); }
  void Open() { sem_post(&semaphore_); }
  bool Pass() {
    timespec deadline{};
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += kPatienceSeconds;
    return sem_timedwait(&semaphore_, &deadline) == 0;
  }

 private:
  sem_t semaphore_;
};

// SlowFiles makes the first read of a file wait until the test lets the read go on.
class SlowFiles : public TaskFiles {
 public:
  uint64_t StartTicks(Tid tid) override {
    Read();
    return TaskFiles::StartTicks(tid) + later_ticks;
  }
  std::string Name(Tid tid) override {
    Read();
    return TaskFiles::Name(tid);
  }
  std::optional<RunQueueCounts> RunQueue(Tid) override {
    Read();
    return RunQueueCounts{.waited_ns = kQueuedNs};
  }

  static constexpr Nanos kQueuedNs = 4711;
  std::atomic<bool> slow{false};
  std::atomic<uint64_t> later_ticks{0};  // ticks added to the true start of threads
  Gate reading;
  Gate go_on;

 private:
  void Read() {
    if (!slow.exchange(false)) return;
    reading.Open();
    EXPECT_TRUE(go_on.Pass()) << "a thread waited for a file";
  }
};

class ThreadScanTest : public test::RegistryTest {};

TEST_F(ThreadScanTest, AScanRegistersEachThreadOfTheProcessOnce) {
  LiveThread a;
  LiveThread b;
  Rescan();
  const uint32_t serial_a = SerialOf(a.tid());
  const uint32_t serial_b = SerialOf(b.tid());
  EXPECT_NE(serial_a, 0u);
  EXPECT_NE(serial_b, 0u);
  EXPECT_NE(SerialOf(CurrentTid()), 0u);
  EXPECT_NE(serial_a, serial_b);
  Rescan();
  EXPECT_EQ(SerialOf(a.tid()), serial_a);
  EXPECT_EQ(books_.live.size(), registry_.Counts().slots_in_use);
  EXPECT_TRUE(books_.ended.empty());
}

TEST_F(ThreadScanTest, AScanEndsAThreadThatIsGoneAndFreesItsSlot) {
  auto thread = std::make_unique<LiveThread>();
  const Tid tid = thread->tid();
  Rescan();
  const ThreadSlot* slot = SlotOf(tid);
  const uint32_t serial = slot->serial;
  thread->End();
  Rescan();
  EXPECT_EQ(SlotOf(tid), nullptr);
  EXPECT_FALSE(slots_.IsTaken(slot->index));
  EXPECT_THAT(books_.ended, ElementsAre(serial));
}

// Reading thousands of names would delay a start.
TEST_F(ThreadScanTest, ReadsNamesAtStartOnlyForAFilter) {
  registry_.RemoveListener(&books_);
  for (const bool filters : {false, true}) {
    LiveThread thread;
    thread.Run([] { pthread_setname_np(pthread_self(), "unread"); });
    registry_.Begin(filters ? ThreadFilter::Parse("unread").value() : ThreadFilter());
    Rescan();
    const uint32_t serial = SerialOf(thread.tid());
    EXPECT_NE(serial, 0u);
    if (!filters) {
      ASSERT_TRUE(registry_.Rescan(PrimingPath::kWatcher).ok());
    }
    thread.End();
    EXPECT_EQ(registry_.names().Find(serial, Tid{0})->os_name, "unread");
  }
}

// The kernel can give the tid of an ended thread of the profiler to a thread of the program.
TEST_F(ThreadScanTest, AnIgnoredThreadThatHasEndedIsForgotten) {
  LiveThread thread;
  const Tid tid = thread.tid();
  registry_.Ignore(tid);
  Rescan();
  EXPECT_THAT(registry_.Ignored(), ElementsAre(tid));
  thread.End();
  Rescan();
  EXPECT_TRUE(registry_.Ignored().empty());
}

struct Files {
  SlowFiles files;
};

// ConcurrentScanTest lets threads start and end while a scan reads files. The threads must not wait
// for the files.
class ConcurrentScanTest : protected Files, public test::RegistryTest {
 protected:
  ConcurrentScanTest() : RegistryTest(files) {}

  // Runs `body` while a call to `reader` is in the middle of a file.
  void WhileReading(std::function<void()> reader, const std::function<void()>& body) {
    LiveThread thread;
    files.slow = true;
    thread.Start(std::move(reader));
    ASSERT_TRUE(files.reading.Pass()) << "no file is read";
    body();
    files.go_on.Open();
    thread.Finish();
  }

  void WhileScanning(const std::function<void()>& body) {
    WhileReading([this] { ASSERT_TRUE(registry_.Rescan(PrimingPath::kWatcher).ok()); }, body);
  }
};

TEST_F(ConcurrentScanTest, AThreadStartsAndEndsWhileAScanReads) {
  WhileScanning([this] {
    registry_.OnNativeThreadStart(MonotonicNanos());
    EXPECT_NE(SerialOf(CurrentTid()), 0u);
    registry_.OnNativeThreadEnd();
    EXPECT_EQ(SerialOf(CurrentTid()), 0u);
  });
}

TEST_F(ConcurrentScanTest, AThreadStartsAndEndsWhileANameIsLookedUp) {
  LiveThread named;
  ASSERT_TRUE(registry_.Rescan().ok());
  const uint32_t serial = SerialOf(named.tid());
  WhileReading([&] { registry_.names().Find(serial, named.tid()); },
               [this] {
                 registry_.OnNativeThreadStart(MonotonicNanos());
                 registry_.OnNativeThreadEnd();
               });
}

TEST_F(ConcurrentScanTest, DescribesAnUnknownJavaThreadWhileOthersStart) {
  LiveThread java;
  WhileReading([&] { registry_.SetJavaThread(java.tid(), nullptr, test::JavaNamed("java"), {}); },
               [this] {
                 registry_.OnNativeThreadStart(MonotonicNanos());
                 registry_.OnNativeThreadEnd();
               });
  EXPECT_NE(SerialOf(java.tid()), 0u);
}

// Needs the time that an ending thread has waited in the run queue.
class QueueReader : public test::BookKeeper {
 public:
  bool NeedsRunQueue() const override { return true; }
  void OnThreadEnd(ThreadSlot& thread, const EndOfThread& end) override {
    BookKeeper::OnThreadEnd(thread, end);
    if (end.by == EndedBy::kItself) queued_ns.push_back(end.queued_ns.value_or(-1));
  }

  std::vector<Nanos> queued_ns;  // of each thread that has announced its end
};

TEST_F(ConcurrentScanTest, AThreadStartsAndEndsWhileAnotherReadsItsTimesAtItsEnd) {
  QueueReader reader;
  registry_.AddListener(&reader);
  LiveThread native;
  registry_.ExpectNativeEnds(NativeEnds::kAnnounced);
  native.Run([this] { registry_.OnNativeThreadStart(MonotonicNanos()); });
  const auto another = [this] {
    registry_.OnJavaThreadStart(this, test::JavaNamed("another"));
    registry_.OnJavaThreadEnd(this);
    registry_.OnNativeThreadEnd();
  };
  files.slow = true;
  native.Start([this] { registry_.OnNativeThreadEnd(); });
  ASSERT_TRUE(files.reading.Pass()) << "no file is read";
  another();
  files.go_on.Open();
  native.Finish();
  EXPECT_EQ(SerialOf(native.tid()), 0u);
  EXPECT_THAT(reader.queued_ns, ElementsAre(files.kQueuedNs, files.kQueuedNs));

  // A thread without the hook ends when it detaches from the JVM.
  LiveThread attached;
  attached.Run([this] { registry_.OnJavaThreadStart(this, test::JavaNamed("attached")); });
  files.slow = true;
  attached.Start([this] { registry_.OnJavaThreadEnd(this); });
  ASSERT_TRUE(files.reading.Pass()) << "no file is read";
  another();
  files.go_on.Open();
  attached.Finish();
  EXPECT_EQ(SerialOf(attached.tid()), 0u);
  EXPECT_EQ(reader.queued_ns.size(), 4u);
  registry_.RemoveListener(&reader);
}

TEST_F(ConcurrentScanTest, AnEndingThreadReadsNoTimesThatNobodyNeeds) {
  registry_.OnNativeThreadStart(MonotonicNanos());
  files.slow = true;
  registry_.OnNativeThreadEnd();
  EXPECT_TRUE(files.slow) << "a file was read";
}

TEST_F(ConcurrentScanTest, KeepsTheSlotOfAThreadThatRegistersItself) {
  LiveThread thread;
  uint32_t serial = 0;
  WhileScanning([&] {
    thread.Run([this] { registry_.OnNativeThreadStart(MonotonicNanos() - kNanosPerSecond); });
    serial = SerialOf(thread.tid());
  });
  EXPECT_NE(serial, 0u);
  EXPECT_EQ(SerialOf(thread.tid()), serial);
}

TEST_F(ConcurrentScanTest, DoesNotRegisterAThreadThatEnds) {
  auto thread = std::make_unique<LiveThread>();
  const Tid tid = thread->tid();
  WhileScanning([&] { thread->End(); });
  EXPECT_EQ(SerialOf(tid), 0u);
}

// The scan reads that the first thread is gone. The scan must not end the second thread, which has
// got the same tid.
TEST_F(ConcurrentScanTest, DoesNotEndASecondThreadOfTheSameTid) {
  LiveThread thread;
  thread.Run([this] { registry_.OnNativeThreadStart(MonotonicNanos()); });
  const uint32_t first = SerialOf(thread.tid());
  uint32_t second = 0;
  files.later_ticks = 1'000'000;
  WhileScanning([&] {
    thread.Run([this] {
      registry_.OnNativeThreadEnd();
      registry_.OnNativeThreadStart(MonotonicNanos());
    });
    second = SerialOf(thread.tid());
  });
  EXPECT_NE(first, second);
  EXPECT_EQ(SerialOf(thread.tid()), second);
}

}  // namespace
}  // namespace jprof
