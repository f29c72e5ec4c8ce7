#include "recording/last_stop.h"

#include <gtest/gtest.h>

#include <atomic>

#include "sigsafe/os/clock.h"
#include "sigsafe/os/thread_id.h"

namespace jprof {
namespace {

constexpr Nanos kLong = 60 * kNanosPerSecond;  // never reached in a correct build
constexpr Nanos kShort = kNanosPerSecond / 100;

void Await(const std::atomic<bool>& reached) {
  const Nanos give_up_ns = MonotonicNanos() + kLong;
  while (!reached && MonotonicNanos() < give_up_ns) {
  }
  EXPECT_TRUE(reached);
}

std::atomic<bool> g_is_attached{false};

// A JVM that attaches and detaches threads, and does nothing else.
class FakeJvm {
 public:
  FakeJvm() {
    g_is_attached = false;
    functions_.GetEnv = [](JavaVM*, void**, jint) -> jint { return JNI_EDETACHED; };
    functions_.AttachCurrentThreadAsDaemon = [](JavaVM*, void** jni, void*) -> jint {
      static JNIEnv attached;
      *jni = &attached;
      g_is_attached = true;
      return JNI_OK;
    };
    functions_.DetachCurrentThread = [](JavaVM*) -> jint {
      g_is_attached = false;
      return JNI_OK;
    };
    vm_.functions = &functions_;
  }

  JavaVM* vm() { return &vm_; }

  void RefuseThreads() {
    functions_.AttachCurrentThreadAsDaemon = [](JavaVM*, void**, void*) -> jint { return JNI_ERR; };
  }

 private:
  JNIInvokeInterface_ functions_{};
  JavaVM vm_{};
};

bool Never() { return false; }
bool Always() { return true; }

TEST(LastStopTest, AttachesItsThreadInAdvance) {
  FakeJvm jvm;
  std::atomic<Tid> stopped_by{Tid{0}};
  LastStop last_stop([&] {
    EXPECT_TRUE(g_is_attached);
    stopped_by = CurrentTid();
  });
  const Result<Tid> prepared = last_stop.Prepare(jvm.vm());
  ASSERT_TRUE(prepared.ok());
  EXPECT_TRUE(g_is_attached);
  EXPECT_EQ(stopped_by.load(), Tid{0});
  EXPECT_TRUE(last_stop.Run(kLong, Always));
  EXPECT_EQ(stopped_by.load(), prepared.value());
}

TEST(LastStopTest, GivesUpAStopThatWaitsForMemory) {
  FakeJvm jvm;
  std::atomic<bool> has_memory{false};
  LastStop last_stop([&] { Await(has_memory); });
  ASSERT_TRUE(last_stop.Prepare(jvm.vm()).ok());
  const Nanos begin_ns = MonotonicNanos();
  EXPECT_FALSE(last_stop.Run(kShort, Always));
  EXPECT_GE(MonotonicNanos() - begin_ns, kShort);
  has_memory = true;
}

TEST(LastStopTest, WaitsForAStopThatNeedsNoMoreMemory) {
  FakeJvm jvm;
  std::atomic<bool> is_complete{false};
  LastStop last_stop([&] {
    const Nanos until_ns = MonotonicNanos() + 5 * kShort;
    while (MonotonicNanos() < until_ns) {
    }
    is_complete = true;
  });
  ASSERT_TRUE(last_stop.Prepare(jvm.vm()).ok());
  EXPECT_TRUE(last_stop.Run(kShort, Never));
  EXPECT_TRUE(is_complete);
}

TEST(LastStopTest, GivesUpAlsoWithoutAPreparedThread) {
  FakeJvm jvm;
  std::atomic<bool> has_memory{false};
  LastStop last_stop([&] { Await(has_memory); });
  ASSERT_TRUE(last_stop.Prepare(jvm.vm()).ok());
  last_stop.Cancel();
  EXPECT_FALSE(last_stop.Run(kShort, Always));
  has_memory = true;
}

TEST(LastStopTest, CanPrepareAnotherThreadAfterACancel) {
  FakeJvm jvm;
  std::atomic<int> stops{0};
  LastStop last_stop([&] { ++stops; });
  ASSERT_TRUE(last_stop.Prepare(jvm.vm()).ok());
  last_stop.Cancel();
  const Result<Tid> second = last_stop.Prepare(jvm.vm());
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(stops, 0);
  EXPECT_TRUE(last_stop.Run(kLong, Always));
  EXPECT_EQ(stops, 1);
  last_stop.Cancel();
  EXPECT_EQ(stops, 1);
}

TEST(LastStopTest, PreparesNothingAfterTheStop) {
  FakeJvm jvm;
  LastStop last_stop([] {});
  ASSERT_TRUE(last_stop.Prepare(jvm.vm()).ok());
  EXPECT_TRUE(last_stop.Run(kLong, Always));
  EXPECT_FALSE(last_stop.Prepare(jvm.vm()).ok());
}

TEST(LastStopTest, StopsEvenIfTheJvmAttachesNoThread) {
  FakeJvm jvm;
  jvm.RefuseThreads();
  std::atomic<Tid> stopped_by{Tid{0}};
  LastStop last_stop([&] { stopped_by = CurrentTid(); });
  const Result<Tid> prepared = last_stop.Prepare(jvm.vm());
  ASSERT_TRUE(prepared.ok());
  EXPECT_TRUE(last_stop.Run(kLong, Always));
  EXPECT_NE(stopped_by.load(), Tid{0});
  EXPECT_NE(stopped_by.load(), prepared.value());
}

}  // namespace
}  // namespace jprof
