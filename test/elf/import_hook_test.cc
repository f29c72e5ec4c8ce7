#include "elf/import_hook.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace jprof {
namespace {

std::atomic<int> g_calls{0};

// An owner with one function and one wrapper, which counts.
class CountingWrappers final : public ImportWrappers {
 public:
  CountingWrappers(std::string_view name, void* wrapper, std::atomic<void*>* original)
      : name_(name), wrapper_(wrapper), original_(*original) {}

  std::span<const std::string_view> names() const override { return {&name_, 1}; }
  void* For(size_t, void* original) override {
    original_ = original;
    return wrapper_;
  }
  void* OriginalOf(const void* function) const override {
    return function == wrapper_ ? original_.load() : nullptr;
  }

 private:
  const std::string_view name_;
  void* const wrapper_;
  std::atomic<void*>& original_;
};

std::atomic<void*> g_getppid{nullptr};
pid_t CountedGetppid() {
  ++g_calls;
  return reinterpret_cast<pid_t (*)()>(g_getppid.load())();
}

std::atomic<void*> g_getpgid{nullptr};
pid_t CountedGetpgid(pid_t pid) {
  ++g_calls;
  return reinterpret_cast<pid_t (*)(pid_t)>(g_getpgid.load())(pid);
}

// Which calls are hooked must be seen through a library: objects that hold our own code are not.
class ImportHookTest : public testing::Test {
 protected:
  ImportHookTest() : library_(dlopen(JPROF_HOOKED_CALLS, RTLD_NOW)) {}
  ~ImportHookTest() override { dlclose(library_); }

  int CallsSeenOf(const char* name, int expected) {
    const int before = g_calls;
    EXPECT_EQ(reinterpret_cast<int (*)()>(dlsym(library_, name))(), expected);
    return g_calls - before;
  }
  int CallsSeenOfGetppid() { return CallsSeenOf("CallGetppid", getppid()); }
  int CallsSeenOfGetpgid() { return CallsSeenOf("CallGetpgid", getpgid(0)); }

  void* const library_;
  CountingWrappers getppid_{"getppid", reinterpret_cast<void*>(&CountedGetppid), &g_getppid};
  CountingWrappers getpgid_{"getpgid", reinterpret_cast<void*>(&CountedGetpgid), &g_getpgid};
};

TEST_F(ImportHookTest, OwnersHookTheirFunctionsBesideEachOther) {
  EXPECT_EQ(CallsSeenOfGetppid() + CallsSeenOfGetpgid(), 0);
  auto ppid = ImportHook::Install(getppid_);
  EXPECT_EQ(ppid->refused_slots(), 0u);
  EXPECT_EQ(CallsSeenOfGetppid(), 1);
  EXPECT_EQ(CallsSeenOfGetpgid(), 0);
  auto pgid = ImportHook::Install(getpgid_);
  EXPECT_EQ(CallsSeenOfGetppid(), 1);
  EXPECT_EQ(CallsSeenOfGetpgid(), 1);
  ppid.reset();
  EXPECT_EQ(CallsSeenOfGetppid(), 0);
  EXPECT_EQ(CallsSeenOfGetpgid(), 1);
  pgid.reset();
  EXPECT_EQ(CallsSeenOfGetpgid(), 0);
}

// The slots of both lie on one page, which is read-only after relocation.
TEST_F(ImportHookTest, OwnersComeAndGoAtTheSameTime) {
  constexpr int kRounds = 300;
  std::thread other([this] {
    for (int i = 0; i < kRounds; ++i) ImportHook::Install(getpgid_);
  });
  for (int i = 0; i < kRounds; ++i) ImportHook::Install(getppid_);
  other.join();
  EXPECT_EQ(CallsSeenOfGetppid() + CallsSeenOfGetpgid(), 0);
}

}  // namespace
}  // namespace jprof
