// A nested handler anywhere inside RefCountGuard's constructor and destructor.
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
  // What a handler that strikes in the middle of another one's guard does.
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
                       // As an inlined constructor may publish it step by step, ask only at the
                       // end.
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

// The pointer changes under every nested handler as well: the outer guard retries.
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

// Whenever it is not held, the table goes out of use and comes back, at every instruction: an equal
// pointer with another history. What the guard holds in the end is the table's last epoch.
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
  EXPECT_LT(steps, 10'000u);  // four attempts, a sanitizer's checks included
  EXPECT_FALSE(*outer);
  EXPECT_EQ(cells_.depth.load(), 0u);
  outer->~RefCountGuard<Table>();
  for (const auto& cell : cells_.cell) EXPECT_EQ(cell.load(), nullptr);
}

}  // namespace
}  // namespace jprof
