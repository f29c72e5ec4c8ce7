// Runs a nested handler at every instruction of RefCountGuard's constructor and destructor.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <new>
#include <vector>

#include "sigsafe/memory/ref_count_guard.h"
#include "support/single_step.h"

namespace jprof {
namespace {

using test::AtEveryInstruction;

struct Table {
  uint64_t epoch;
};

class GuardNestedTest : public testing::Test {
 protected:
  // Does what a handler does that interrupts another handler while that handler enters or leaves
  // its guard.
  void NestedUse() {
    const RefCountGuard<Table> guard(cells_, active_);
    if (guard && !IsHeld(cells_, guard.get())) ++nested_unprotected_;
  }

  GuardCells cells_{};
  Table first_{};
  Table second_{};
  std::atomic<Table*> active_{&first_};
  int nested_unprotected_ = 0;
};

TEST_F(GuardNestedTest, AHandlerInsideEnteringLeavesTheOuterGuardProtected) {
  alignas(RefCountGuard<Table>) unsigned char storage[sizeof(RefCountGuard<Table>)];
  RefCountGuard<Table>* outer = nullptr;
  AtEveryInstruction([&] { outer = new (storage) RefCountGuard<Table>(cells_, active_); },
                     [&] {
                       NestedUse();
                       // The outer guard is checked only at the end, because an inlined constructor
                       // might write its members step by step.
                     });
  ASSERT_NE(outer, nullptr);
  EXPECT_EQ(outer->get(), &first_);
  EXPECT_TRUE(IsHeld(cells_, outer->get())) << "a nested handler cleared the outer guard's cell";
  outer->~RefCountGuard<Table>();
  EXPECT_EQ(nested_unprotected_, 0);
  EXPECT_EQ(cells_.depth.load(), 0u);
}

TEST_F(GuardNestedTest, AHandlerInsideLeavingFindsAndLeavesTheCellsInOrder) {
  alignas(RefCountGuard<Table>) unsigned char storage[sizeof(RefCountGuard<Table>)];
  auto* outer = new (storage) RefCountGuard<Table>(cells_, active_);
  active_ = &second_;
  AtEveryInstruction([&] { outer->~RefCountGuard<Table>(); }, [&] { NestedUse(); });
  EXPECT_EQ(nested_unprotected_, 0);
  EXPECT_EQ(cells_.depth.load(), 0u);
  for (const auto& cell : cells_.cell) EXPECT_EQ(cell.load(), nullptr);
}

// The active pointer also changes, at one of the instructions. The outer guard then has to try
// again.
TEST_F(GuardNestedTest, AHandlerAndARotationInsideEnteringLeaveAProtectedOrNoGuard) {
  alignas(RefCountGuard<Table>) unsigned char storage[sizeof(RefCountGuard<Table>)];
  for (int rotate_at = 0; rotate_at < 200; ++rotate_at) {
    int step = 0;
    RefCountGuard<Table>* outer = nullptr;
    active_ = &first_;
    AtEveryInstruction([&] { outer = new (storage) RefCountGuard<Table>(cells_, active_); },
                       [&] {
                         if (step++ == rotate_at) active_ = &second_;
                         NestedUse();
                       });
    ASSERT_NE(outer, nullptr);
    ASSERT_TRUE(*outer);
    EXPECT_TRUE(IsHeld(cells_, outer->get())) << "rotated at instruction " << rotate_at;
    outer->~RefCountGuard<Table>();
    ASSERT_EQ(cells_.depth.load(), 0u);
  }
  EXPECT_EQ(nested_unprotected_, 0);
}

// At every instruction at which the table is not held, the table goes out of use and is used again
// with a new epoch. The pointer to the table is the same as before. In the end the guard has to
// hold the table with its last epoch.
TEST_F(GuardNestedTest, ATableReusedInsideEnteringIsHeldWithItsLastEpoch) {
  alignas(RefCountGuard<Table>) unsigned char storage[sizeof(RefCountGuard<Table>)];
  RefCountGuard<Table>* outer = nullptr;
  uint64_t epoch = 0;
  AtEveryInstruction(
      [&] {
        outer = new (storage) RefCountGuard<Table>(cells_, active_);
        epoch = (*outer)->epoch;
      },
      [&] {
        active_ = &second_;
        if (!IsHeld(cells_, &first_)) ++first_.epoch;
        active_ = &first_;
        NestedUse();
      });
  ASSERT_TRUE(*outer);
  EXPECT_GT(first_.epoch, 0u) << "never reused";
  EXPECT_EQ(epoch, first_.epoch) << "reused while it was held";
  outer->~RefCountGuard<Table>();
  EXPECT_EQ(nested_unprotected_, 0);
}

TEST_F(GuardNestedTest, APointerThatNeverStandsStillEndsInAnEmptyGuardAndNoCell) {
  alignas(RefCountGuard<Table>) unsigned char storage[sizeof(RefCountGuard<Table>)];
  RefCountGuard<Table>* outer = nullptr;
  std::vector<Table> tables(4096);
  size_t next = 0;
  const size_t steps =
      AtEveryInstruction([&] { outer = new (storage) RefCountGuard<Table>(cells_, active_); },
                         [&] { active_ = &tables[next++ % 4096]; });
  EXPECT_LT(steps, 10'000u);  // enough for four attempts with the checks of a sanitizer
  EXPECT_FALSE(*outer);
  EXPECT_EQ(cells_.depth.load(), 0u);
  outer->~RefCountGuard<Table>();
  for (const auto& cell : cells_.cell) EXPECT_EQ(cell.load(), nullptr);
}

}  // namespace
}  // namespace jprof
