#include "engines/alloc/canaries.h"

#include <gtest/gtest.h>

#include <functional>

namespace jprof {
namespace {

// CanariesTest stands for a JVM that frees objects by the time of their allocation (`birth_ns`).
class CanariesTest : public testing::Test {
 protected:
  static jweak ReferenceOf(Nanos birth_ns) { return reinterpret_cast<jweak>(birth_ns); }

  void Add(Nanos birth_ns) {
    canaries_.Add(birth_ns, ReferenceOf(birth_ns), Drop());
    ++held_;
  }

  // Ends a collection that started at start_ns and freed all objects allocated before that time.
  // Returns the time before which allocated objects count as freed; nullopt if the collection freed
  // no canary.
  std::optional<Nanos> Collect(Nanos start_ns) {
    const auto is_freed = [start_ns](jweak reference) {
      return reinterpret_cast<Nanos>(reference) < start_ns;
    };
    const auto youngest_ns = canaries_.TakeFreed(is_freed, Drop());
    if (!youngest_ns) return std::nullopt;
    return canaries_.StartAfter(*youngest_ns);
  }

  std::function<void(jweak)> Drop() {
    return [this](jweak) { --held_; };
  }

  Canaries canaries_;
  size_t held_ = 0;
};

TEST_F(CanariesTest, WithoutPausesObjectsOlderThanTheYoungestFreedCanaryCount) {
  Add(10);
  Add(20);
  Add(30);
  EXPECT_EQ(Collect(25), 20);
  EXPECT_EQ(held_, 1u);
  EXPECT_EQ(Collect(25), std::nullopt) << "no further collection has ended";
  EXPECT_EQ(Collect(35), 30);
}

TEST_F(CanariesTest, CountsObjectsUpToThePauseAfterTheYoungestFreedCanary) {
  for (const Nanos pause_ns : {5, 23, 26, 28}) canaries_.AddPause(pause_ns);
  Add(10);
  Add(20);
  Add(30);
  EXPECT_EQ(Collect(23), 23);
}

// The collection starts at 20, but the JVM does not announce its pause at that time.
TEST_F(CanariesTest, ObjectsYoungerThanALivingCanaryNeverCount) {
  canaries_.AddPause(33);
  Add(10);
  Add(30);
  EXPECT_EQ(Collect(20), 30);
}

TEST_F(CanariesTest, UnknownPausesMakeNoObjectOlder) {
  Add(10);
  canaries_.AddPause(15);
  canaries_.ForgetPauses(20);
  canaries_.AddPause(25);
  EXPECT_EQ(Collect(15), 10);
  Add(30);
  for (size_t i = 0; i <= Canaries::kMostPauses; ++i) {
    canaries_.AddPause(40 + static_cast<Nanos>(i));
  }
  EXPECT_EQ(Collect(41), 30);
}

TEST_F(CanariesTest, TheYoungestStayHoweverManyThereAre) {
  constexpr Nanos kLast = 10'000;
  for (Nanos birth_ns = 1; birth_ns <= kLast; ++birth_ns) {
    Add(birth_ns);
    EXPECT_LE(held_, Canaries::kMost);
  }
  EXPECT_EQ(Collect(kLast - 4), kLast - 5);
  EXPECT_EQ(held_, 5u);
  EXPECT_FALSE(canaries_.LacksOneAfter(kLast - 1));
  EXPECT_TRUE(canaries_.LacksOneAfter(kLast))
      << "it might be older than an object of the same birth";
}

TEST_F(CanariesTest, AllAreDroppedInTheEnd) {
  Add(10);
  Add(20);
  canaries_.Clear(Drop());
  EXPECT_EQ(held_, 0u);
  EXPECT_TRUE(canaries_.LacksOneAfter(0));
}

}  // namespace
}  // namespace jprof
