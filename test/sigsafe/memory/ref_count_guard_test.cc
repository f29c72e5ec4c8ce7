#include "sigsafe/memory/ref_count_guard.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "support/signal_body.h"

namespace jprof {
namespace {

using test::InSignal;

struct Table {
  std::atomic<bool> poisoned{false};
};

class RefCountGuardTest : public testing::Test {
 protected:
  GuardCells cells_{};
  Table first_;
  Table second_;
  std::atomic<Table*> active_{&first_};
};

TEST_F(RefCountGuardTest, HoldsTheActiveObjectForItsScopeOnly) {
  InSignal([&] {
    const RefCountGuard<Table> guard(cells_, active_);
    EXPECT_TRUE(guard);
    EXPECT_EQ(guard.get(), &first_);
    EXPECT_TRUE(IsHeld(cells_, &first_));
    EXPECT_FALSE(IsHeld(cells_, &second_));
  });
  EXPECT_FALSE(IsHeld(cells_, &first_));
}

TEST_F(RefCountGuardTest, IsEmptyIfNothingIsActive) {
  active_ = nullptr;
  InSignal([&] {
    const RefCountGuard<Table> guard(cells_, active_);
    EXPECT_FALSE(guard);
    EXPECT_EQ(guard.get(), nullptr);
    EXPECT_EQ(cells_.depth.load(), 0u);
  });
  EXPECT_EQ(cells_.depth.load(), 0u);
}

TEST_F(RefCountGuardTest, ANestedGuardKeepsTheOuterOne) {
  const RefCountGuard<Table> outer(cells_, active_);
  active_ = &second_;
  InSignal([&] {
    const RefCountGuard<Table> inner(cells_, active_);
    EXPECT_EQ(inner.get(), &second_);
    EXPECT_TRUE(IsHeld(cells_, &first_));
    EXPECT_TRUE(IsHeld(cells_, &second_));
  });
  EXPECT_EQ(outer.get(), &first_);
  EXPECT_TRUE(IsHeld(cells_, &first_));
  EXPECT_FALSE(IsHeld(cells_, &second_));
}

TEST_F(RefCountGuardTest, AnEmptyNestedGuardKeepsTheOuterOne) {
  const RefCountGuard<Table> outer(cells_, active_);
  active_ = nullptr;
  InSignal([&] { EXPECT_FALSE(RefCountGuard<Table>(cells_, active_)); });
  EXPECT_TRUE(IsHeld(cells_, &first_));
}

void EnterToDepth(GuardCells& cells, const std::atomic<Table*>& active, uint32_t levels,
                  uint32_t* entered) {
  if (levels == 0) return;
  const RefCountGuard<Table> guard(cells, active);
  if (guard) ++*entered;
  EnterToDepth(cells, active, levels - 1, entered);
}

TEST_F(RefCountGuardTest, IsEmptyBeyondTheDeepestLevel) {
  uint32_t entered = 0;
  InSignal([&] { EnterToDepth(cells_, active_, GuardCells::kMaxDepth + 2, &entered); });
  EXPECT_EQ(entered, GuardCells::kMaxDepth);
  EXPECT_EQ(cells_.depth.load(), 0u);
  EXPECT_FALSE(IsHeld(cells_, &first_));
}

TEST_F(RefCountGuardTest, DistinguishesRefusalFromEmptyAndKnowsItsLevel) {
  const RefCountGuard<Table> outer(cells_, active_);
  EXPECT_FALSE(outer.refused());
  EXPECT_EQ(outer.level(), 0u);
  {
    const RefCountGuard<Table> inner(cells_, active_);
    EXPECT_EQ(inner.level(), 1u);
  }
  cells_.depth = GuardCells::kMaxDepth;
  EXPECT_TRUE(RefCountGuard<Table>(cells_, active_).refused());
  cells_.depth = 1;
  active_ = nullptr;
  EXPECT_FALSE(RefCountGuard<Table>(cells_, active_).refused());
}

// If the pointer keeps changing between its two reads, the constructor gives up after a bounded
// number of attempts and leaves no cell taken. This happens only in some of the rounds; the test
// checks that every round ends, with a guard that holds a table or is empty.
TEST_F(RefCountGuardTest, EndsHeldOrEmptyIfThePointerKeepsChanging) {
  std::atomic<bool> stop{false};
  std::thread changer([&] {
    while (!stop.load(std::memory_order_relaxed)) {
      active_.exchange(&second_);
      active_.exchange(&first_);
    }
  });
  for (int round = 0; round < 200'000; ++round) {
    const RefCountGuard<Table> guard(cells_, active_);
    ASSERT_TRUE(!guard || IsHeld(cells_, guard.get()));
    ASSERT_EQ(cells_.depth.load(), guard ? 1u : 0u);
  }
  stop = true;
  changer.join();
  for (const auto& cell : cells_.cell) EXPECT_EQ(cell.load(), nullptr);
}

// Rotates the active table while readers run, and poisons each retired table as soon as no cell
// holds it. Readers in signal handlers must never see a poisoned table.
class RotationStress {
 public:
  explicit RotationStress(size_t readers) : cells_(readers) {}

  void Read(size_t reader) {
    uint64_t uses = 0;
    while (!stop_.load(std::memory_order_relaxed)) {
      InSignal([&] { uses += UseInARow(cells_[reader]); });
    }
    uses_.fetch_add(uses);
  }

  void Rotate(std::chrono::milliseconds duration) {
    const auto end = std::chrono::steady_clock::now() + duration;
    for (size_t next = 1; std::chrono::steady_clock::now() < end; next = (next + 1) % kTables) {
      tables_[next].poisoned.store(false, std::memory_order_relaxed);
      Table* old = active_.exchange(&tables_[next], std::memory_order_seq_cst);
      for (const GuardCells& cells : cells_) {
        while (IsHeld(cells, old)) std::this_thread::yield();
      }
      old->poisoned.store(true, std::memory_order_relaxed);
      ++rotations_;
    }
    stop_ = true;
  }

  uint64_t uses() const { return uses_; }
  uint64_t rotations() const { return rotations_; }
  uint64_t poisoned_uses() const { return poisoned_uses_; }

 private:
  static constexpr size_t kTables = 3;

  // Makes 64 guarded uses in a row, so that many of them run during a rotation. Returns the number
  // of uses with a table. Runs in a signal handler.
  uint64_t UseInARow(GuardCells& cells) {
    uint64_t uses = 0;
    for (int i = 0; i < 64; ++i) {
      const RefCountGuard<Table> guard(cells, active_);
      if (!guard) continue;
      for (int look = 0; look < 4; ++look) {
        if (guard->poisoned.load(std::memory_order_relaxed)) poisoned_uses_.fetch_add(1);
      }
      ++uses;
    }
    return uses;
  }

  std::array<Table, kTables> tables_;
  std::atomic<Table*> active_{&tables_[0]};
  std::vector<GuardCells> cells_;
  std::atomic<bool> stop_{false};
  std::atomic<uint64_t> uses_{0};
  std::atomic<uint64_t> poisoned_uses_{0};
  uint64_t rotations_ = 0;
};

TEST(RefCountGuardStressTest, ARetiredTableIsNeverUsedByAHandler) {
  constexpr size_t kReaders = 2;
  RotationStress stress(kReaders);
  std::vector<std::thread> readers;
  for (size_t reader = 0; reader < kReaders; ++reader) {
    readers.emplace_back([&stress, reader] { stress.Read(reader); });
  }
  stress.Rotate(std::chrono::milliseconds(2000));
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(stress.poisoned_uses(), 0u);
  EXPECT_GT(stress.rotations(), 1000u);
  EXPECT_GT(stress.uses(), 10'000u);
}

}  // namespace
}  // namespace jprof
