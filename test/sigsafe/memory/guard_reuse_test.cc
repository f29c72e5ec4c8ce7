// Tests RefCountGuard with three resources that are reused over and over: the active resource can
// have the same address as an earlier one, but another epoch. Readers use the active resource in
// signal handlers, which other signals interrupt. Every use must see one epoch from start to end,
// and must end before the epoch is closed.
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include "sigsafe/memory/ref_count_guard.h"
#include "support/signal_body.h"

namespace jprof {
namespace {

using test::InSignal;

constexpr int kNestedSignal = SIGUSR1;
constexpr uint64_t kReclaimed = 0;

// A resource with two words, its epoch and the complement of the epoch. relaxed: only the guard
// orders the accesses.
class Resource {
 public:
  void Stamp(uint64_t epoch) {
    epoch_.store(epoch, std::memory_order_relaxed);
    canary_.store(~epoch, std::memory_order_relaxed);
  }
  uint64_t epoch() const { return epoch_.load(std::memory_order_relaxed); }
  bool Is(uint64_t epoch) const {
    return epoch != kReclaimed && this->epoch() == epoch &&
           canary_.load(std::memory_order_relaxed) == ~epoch;
  }

 private:
  std::atomic<uint64_t> epoch_{kReclaimed};
  std::atomic<uint64_t> canary_{kReclaimed};
};

// Makes three resources active in rotation. A resource that is no longer active is retired, and is
// reclaimed when no guard holds it.
class Carousel {
 public:
  explicit Carousel(const std::vector<GuardCells>& guards) : guards_(guards) {
    resources_[0].Stamp(1);
  }

  // Makes the next resource active. Returns false if a guard still holds it from its earlier use.
  bool Rotate() {
    for (size_t i = 0; i < resources_.size(); ++i) Reclaim(i);
    const size_t next = (current_ + 1) % resources_.size();
    if (retired_[next]) return false;
    resources_[next].Stamp(++epoch_);
    active_.exchange(&resources_[next], std::memory_order_seq_cst);
    retired_[current_] = true;
    current_ = next;
    return true;
  }

  const std::atomic<Resource*>& active() const { return active_; }
  uint64_t epoch() const { return epoch_; }

  // True if the epoch is known to be closed. relaxed: a use that lasts beyond its epoch might load
  // the old value, but then it sees the wrong epoch in the resource.
  bool IsClosed(uint64_t epoch) const {
    return closed_[epoch % kRemembered].load(std::memory_order_relaxed) == epoch;
  }

 private:
  static constexpr size_t kRemembered = 64;  // closed_ has room for this many epochs

  void Reclaim(size_t index) {
    if (!retired_[index]) return;
    Resource& resource = resources_[index];
    for (const GuardCells& guard : guards_) {
      if (IsHeld(guard, &resource)) return;
    }
    closed_[resource.epoch() % kRemembered].store(resource.epoch(), std::memory_order_relaxed);
    resource.Stamp(kReclaimed);
    retired_[index] = false;
  }

  const std::vector<GuardCells>& guards_;
  std::array<Resource, 3> resources_;
  std::array<bool, 3> retired_{};
  std::array<std::atomic<uint64_t>, kRemembered> closed_{};
  std::atomic<Resource*> active_{resources_.data()};
  size_t current_ = 0;
  uint64_t epoch_ = 1;
};

struct Reader {
  GuardCells* cells = nullptr;
  const Carousel* carousel = nullptr;
  // Written by the thread's nested handlers; read when the thread has ended.
  std::atomic<uint64_t> uses{0};
  std::atomic<uint64_t> nested_uses{0};
  std::atomic<uint64_t> stale_uses{0};
};

constinit thread_local Reader* t_reader = nullptr;

void Count(std::atomic<uint64_t>& counter) { counter.fetch_add(1, std::memory_order_relaxed); }

// Uses the active resource once, and counts a stale use if its epoch changes before the end.
// meanwhile() is called during the use. Returns false if no resource was active.
template <typename Meanwhile>
bool Use(Reader& reader, Meanwhile meanwhile) {
  const RefCountGuard<Resource> guard(*reader.cells, reader.carousel->active());
  if (!guard) return false;
  const uint64_t epoch = guard->epoch();
  meanwhile();
  for (int look = 0; look < 8; ++look) {
    if (!guard->Is(epoch) || reader.carousel->IsClosed(epoch)) Count(reader.stale_uses);
  }
  return true;
}

void NestedHandler(int) {
  if (t_reader != nullptr && Use(*t_reader, [] {})) Count(t_reader->nested_uses);
}

class GuardReuseTest : public testing::Test {
 protected:
  void SetUp() override {
    struct sigaction action = {};
    action.sa_handler = NestedHandler;
    action.sa_flags = SA_ONSTACK | SA_RESTART;
    ASSERT_EQ(sigaction(kNestedSignal, &action, &previous_), 0);
  }
  void TearDown() override { sigaction(kNestedSignal, &previous_, nullptr); }

 private:
  struct sigaction previous_ = {};
};

// Uses the active resource until `stop`: many short uses, and some that a nested handler interrupts
// in the middle. The test also sends signals at other times.
void ReadUntil(const std::atomic<bool>& stop, Reader& reader) {
  t_reader = &reader;
  while (!stop.load(std::memory_order_relaxed)) {
    InSignal([&reader] {
      for (int i = 0; i < 64; ++i) {
        if (Use(reader, [] {})) Count(reader.uses);
      }
      if (Use(reader, [] { pthread_kill(pthread_self(), kNestedSignal); })) Count(reader.uses);
    });
  }
  t_reader = nullptr;
}

TEST_F(GuardReuseTest, AGuardedResourceKeepsItsEpochUnderReuse) {
  constexpr size_t kReaders = 2;
  constexpr uint64_t kRotations = 500'000;
  constexpr uint64_t kUses = 2'000'000;
  std::vector<GuardCells> cells(kReaders);
  Carousel carousel(cells);
  std::array<Reader, kReaders> readers;
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kReaders; ++i) {
    readers[i].cells = &cells[i];
    readers[i].carousel = &carousel;
    threads.emplace_back([&stop, &reader = readers[i]] { ReadUntil(stop, reader); });
  }
  const auto all_have_used = [&] {
    return std::all_of(readers.begin(), readers.end(), [](const Reader& reader) {
      return reader.uses.load() > kUses && reader.nested_uses.load() > kUses / 100;
    });
  };
  for (uint64_t turn = 0; carousel.epoch() < kRotations || !all_have_used(); ++turn) {
    if (!carousel.Rotate()) std::this_thread::yield();
    if (turn % 64 == 0) pthread_kill(threads[turn / 64 % kReaders].native_handle(), kNestedSignal);
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  for (const Reader& reader : readers) {
    EXPECT_EQ(reader.stale_uses.load(), 0u) << "of " << reader.uses.load();
  }
}

// On one thread: while the outer guard holds the first resource, the two others can be reused.
TEST_F(GuardReuseTest, ReusesAResourceOnlyAfterItsRelease) {
  std::vector<GuardCells> cells(1);
  Carousel carousel(cells);
  std::optional<RefCountGuard<Resource>> outer(std::in_place, cells[0], carousel.active());
  Resource* const first = outer->get();
  EXPECT_TRUE(carousel.Rotate());
  EXPECT_TRUE(carousel.Rotate());
  EXPECT_FALSE(carousel.Rotate()) << "the first one is held";
  InSignal([&] {
    const RefCountGuard<Resource> nested(cells[0], carousel.active());
    EXPECT_TRUE(nested->Is(3));
  });
  EXPECT_FALSE(carousel.Rotate());
  EXPECT_TRUE(first->Is(1));
  outer.reset();
  EXPECT_TRUE(carousel.Rotate());
  InSignal([&] {
    const RefCountGuard<Resource> again(cells[0], carousel.active());
    EXPECT_EQ(again.get(), first);
    EXPECT_TRUE(again->Is(4));
  });
}

}  // namespace
}  // namespace jprof
