#include "sigsafe/native/stack_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <utility>

#include "os/fault_action.h"
#include "support/guarded_page.h"

namespace jprof {
namespace {

void EndAtFault(int, siginfo_t*, void*) { _exit(1); }

// Words of a stack whose bounds are unknown, in a process that has a handler of faults, as the JVM
// has.
class StackMemoryTest : public testing::TestWithParam<LoadFaults> {
 protected:
  StackMemoryTest() {
    struct sigaction action = {};
    action.sa_sigaction = EndAtFault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (const int signal : {SIGSEGV, SIGBUS}) sigaction(signal, &action, &before_[signal]);
    Result<FaultAction> faults = FaultAction::Install();
    EXPECT_TRUE(faults) << faults.error().message();
    faults_ = std::move(faults).value();
  }
  ~StackMemoryTest() override {
    faults_.Uninstall();
    for (const int signal : {SIGSEGV, SIGBUS}) sigaction(signal, &before_[signal], nullptr);
  }

 private:
  struct sigaction before_[NSIG];
  FaultAction faults_;
};
INSTANTIATE_TEST_SUITE_P(Faults, StackMemoryTest,
                         testing::Values(LoadFaults::kFatal, LoadFaults::kCaught));

TEST_P(StackMemoryTest, LoadsEveryReadableWordAndNoOther) {
  constexpr size_t kSize = 8192;
  const test::GuardedPage page(kSize);
  const auto begin = reinterpret_cast<uint64_t>(page.region().data);
  for (uint64_t at = begin; at < begin + kSize; at += sizeof at) {
    const uint64_t word = at ^ 7;
    memcpy(reinterpret_cast<void*>(at), &word, sizeof word);
  }
  StackMemory memory(begin, {}, GetParam());
  uint64_t word = 0;
  for (uint64_t at = begin; at < begin + kSize; at += sizeof at) {
    ASSERT_TRUE(memory.Load(at, &word)) << at;
    ASSERT_EQ(word, at ^ 7);
  }
  word = 1;
  EXPECT_FALSE(memory.Load(begin + kSize, &word));
  EXPECT_FALSE(memory.Load(begin + kSize - 1, &word)) << "only its first byte is readable";
  EXPECT_EQ(word, 1u);
}

// A guarded load is a few nanoseconds, and sees the word of that moment. A block that is copied by
// two system calls keeps its words.
TEST(StackMemory, CopiesABlockOnlyIfNothingCatchesFaults) {
  uint64_t word = 1;
  const auto at = reinterpret_cast<uint64_t>(&word);
  uint64_t loaded = 0;
  StackMemory copied(at, {}, LoadFaults::kFatal);
  StackMemory guarded(at, {}, LoadFaults::kCaught);
  ASSERT_TRUE(copied.Load(at, &loaded));
  ASSERT_TRUE(guarded.Load(at, &loaded));
  word = 2;
  ASSERT_TRUE(copied.Load(at, &loaded));
  EXPECT_EQ(loaded, 1u);
  ASSERT_TRUE(guarded.Load(at, &loaded));
  EXPECT_EQ(loaded, 2u);
}

}  // namespace
}  // namespace jprof
