#include "engines/lock/waited_wall_time.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

constexpr Nanos kTickNs = 1000;

jmethodID Method(uintptr_t number) { return reinterpret_cast<jmethodID>(number * 8); }

std::vector<jvmtiFrameInfo> Frames(std::initializer_list<uintptr_t> methods) {
  std::vector<jvmtiFrameInfo> frames;
  for (const uintptr_t each : methods) frames.push_back({Method(each), 7});
  return frames;
}

TEST(WaitedTimeTest, HasATickIfAMultipleOfTheIntervalIsInTheTime) {
  BeginWaitedTime(kTickNs);
  const Nanos tick = (MonotonicNanos() / kTickNs + 10) * kTickNs;
  const auto has_tick = [](Nanos from_ns, Nanos to_ns) {
    return WaitedTime{.from_ns = from_ns, .to_ns = to_ns}.HasTick();
  };
  EXPECT_FALSE(has_tick(tick, tick));
  EXPECT_FALSE(has_tick(tick, tick + kTickNs - 1));
  EXPECT_TRUE(has_tick(tick - 1, tick));
  EXPECT_TRUE(has_tick(tick - 1, tick + 5 * kTickNs));
  EXPECT_FALSE(has_tick(tick + 1, tick - kTickNs)) << "it ends before it begins";
}

TEST(WaitedTimeTest, OnlyTimeBetweenBeginAndEndCounts) {
  BeginWaitedTime(kTickNs);
  const Nanos begin = WaitedTimeBegin();
  EXPECT_FALSE((WaitedTime{.from_ns = begin - 100 * kTickNs, .to_ns = begin}.HasTick()));
  EXPECT_TRUE((WaitedTime{.from_ns = begin - 100 * kTickNs, .to_ns = begin + kTickNs}.HasTick()));
  EndWaitedTime();
  const Nanos after = MonotonicNanos() + kTickNs;
  EXPECT_FALSE((WaitedTime{.from_ns = after, .to_ns = after + 100 * kTickNs}.HasTick()));
}

TEST(StackAtJvmTest, StartsAtTheInnermostFrameOfTheMethods) {
  StackAtJvm stack;
  stack.Set(Frames({1, 2, 3, 2, 4}));
  const std::array methods = {Method(9), Method(2)};
  EXPECT_TRUE(stack.StartAt(methods));
  ASSERT_EQ(stack.frames().size(), 4U);
  EXPECT_EQ(stack.frames()[0].method, Method(2));
  EXPECT_EQ(stack.frames()[1].method, Method(3));
}

TEST(StackAtJvmTest, KeepsAStackWithoutTheMethods) {
  StackAtJvm stack;
  stack.Set(Frames({1, 2, 3}));
  const std::array methods = {Method(9)};
  EXPECT_FALSE(stack.StartAt(methods));
  EXPECT_EQ(stack.frames().size(), 3U);
}

TEST(StackAtJvmTest, LooksForTheMethodsOnlyOnTop) {
  std::vector<jvmtiFrameInfo> frames(StackAtJvm::kMostOnTop, {Method(1), 0});
  frames.push_back({Method(2), 0});
  StackAtJvm stack;
  stack.Set(frames);
  const std::array methods = {Method(2)};
  EXPECT_FALSE(stack.StartAt(methods));
}

}  // namespace
}  // namespace jprof
