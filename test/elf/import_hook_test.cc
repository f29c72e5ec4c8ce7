#include "elf/import_hook.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "os/read_file.h"
#include "sigsafe/os/thread_id.h"

namespace jprof {
namespace {

std::atomic<int> g_calls{0};

// Has one hooked function and its wrapper, which counts the calls.
class CountingWrappers : public ImportWrappers {
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

// Calls `in_pass` once, in the middle of the next pass over all objects.
class InterruptedWrappers final : public CountingWrappers {
 public:
  using CountingWrappers::CountingWrappers;

  void* For(size_t name, void* original) override {
    std::exchange(in_pass, [] {})();
    return CountingWrappers::For(name, original);
  }
  void* OriginalOf(const void* function) const override {
    void* const original = CountingWrappers::OriginalOf(function);
    if (original != nullptr) std::exchange(in_pass, [] {})();
    return original;
  }

  mutable std::function<void()> in_pass = [] {};
};

bool Sleeps(Tid tid) {
  const auto stat = ReadFile("/proc/self/task/" + std::to_string(Value(tid)) + "/stat");
  return stat && stat.value().find(") S ") != std::string::npos;
}

// A thread that calls hook.refused_slots() when IsAnsweredAtOnce is called. A pass writes the
// number that refused_slots() returns.
class Asker {
 public:
  explicit Asker(ImportHook& hook)
      : thread_([this, &hook] {
          tid_ = CurrentTid();
          while (!asked_) std::this_thread::yield();
          hook.refused_slots();
          answered_ = true;
        }) {
    while (tid_.load() == Tid{0}) std::this_thread::yield();
  }
  ~Asker() {
    asked_ = true;
    thread_.join();
  }

  // True if refused_slots() returns at once; false as soon as its thread sleeps.
  bool IsAnsweredAtOnce() {
    asked_ = true;
    while (!answered_ && !Sleeps(tid_)) std::this_thread::yield();
    return answered_;
  }

 private:
  std::atomic<Tid> tid_{Tid{0}};
  std::atomic<bool> asked_{false};
  std::atomic<bool> answered_{false};
  std::thread thread_;  // last member: the thread uses the others
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

// Calls through a library, because a hook leaves out the object that contains the hook's own code.
class ImportHookTest : public testing::Test {
 protected:
  ImportHookTest() : library_(dlopen(JPROF_HOOKED_CALLS, RTLD_NOW)) {}
  ~ImportHookTest() override {
    if (library_ != nullptr) dlclose(library_);
  }

  // Returns the memory that the library occupies.
  std::span<uintptr_t> MemoryOfLibrary() {
    Dl_info info{};
    EXPECT_NE(dladdr(dlsym(library_, "CallGetppid"), &info), 0);
    uintptr_t end = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* object, size_t, void* highest) {
          if (!std::string_view(object->dlpi_name).ends_with(kLibrary)) return 0;
          for (const ElfW(Phdr) & part : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
            if (part.p_type != PT_LOAD) continue;
            auto& so_far = *static_cast<uintptr_t*>(highest);
            so_far = std::max(so_far, object->dlpi_addr + part.p_vaddr + part.p_memsz);
          }
          return 1;
        },
        &end);
    const auto begin = reinterpret_cast<uintptr_t>(info.dli_fbase);
    EXPECT_GT(end, begin);
    return {static_cast<uintptr_t*>(info.dli_fbase), (end - begin) / sizeof(uintptr_t)};
  }

  int CallsSeenOf(const char* name, int expected) {
    const int before = g_calls;
    EXPECT_EQ(reinterpret_cast<int (*)()>(dlsym(library_, name))(), expected);
    return g_calls - before;
  }
  int CallsSeenOfGetppid() { return CallsSeenOf("CallGetppid", getppid()); }
  int CallsSeenOfGetpgid() { return CallsSeenOf("CallGetpgid", getpgid(0)); }

  static constexpr char kLibrary[] = JPROF_HOOKED_CALLS;
  void* library_;
  CountingWrappers getppid_{"getppid", reinterpret_cast<void*>(&CountedGetppid), &g_getppid};
  CountingWrappers getpgid_{"getpgid", reinterpret_cast<void*>(&CountedGetpgid), &g_getpgid};
};

TEST_F(ImportHookTest, OwnersHookTheirFunctionsIndependently) {
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

// The slots of both hooks are on one page, which is read-only after relocation.
TEST_F(ImportHookTest, TwoHooksAreInstalledAndRemovedAtTheSameTime) {
  constexpr int kRounds = 300;
  std::thread other([this] {
    for (int i = 0; i < kRounds; ++i) ImportHook::Install(getpgid_);
  });
  for (int i = 0; i < kRounds; ++i) ImportHook::Install(getppid_);
  other.join();
  EXPECT_EQ(CallsSeenOfGetppid() + CallsSeenOfGetpgid(), 0);
}

// The next owner of the memory can store anything there, even the address of a wrapper.
TEST_F(ImportHookTest, TheMemoryOfAnUnloadedLibraryIsNotRestored) {
  auto hook = ImportHook::Install(getppid_);
  EXPECT_EQ(CallsSeenOfGetppid(), 1);
  const std::span<uintptr_t> memory = MemoryOfLibrary();
  ASSERT_EQ(dlclose(std::exchange(library_, nullptr)), 0);
  ASSERT_EQ(dlopen(JPROF_HOOKED_CALLS, RTLD_NOW | RTLD_NOLOAD), nullptr) << "it is still loaded";
  ASSERT_EQ(mmap(memory.data(), memory.size_bytes(), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0),
            memory.data());
  const auto wrapper = reinterpret_cast<uintptr_t>(&CountedGetppid);
  std::ranges::fill(memory, wrapper);
  hook.reset();
  EXPECT_TRUE(std::ranges::all_of(memory, [&](uintptr_t each) { return each == wrapper; }));
  munmap(memory.data(), memory.size_bytes());
}

TEST_F(ImportHookTest, ALibraryThatIsLoadedAgainIsHookedAgain) {
  auto hook = ImportHook::Install(getppid_);
  ASSERT_EQ(dlclose(std::exchange(library_, nullptr)), 0);
  library_ = dlopen(JPROF_HOOKED_CALLS, RTLD_NOW);
  ASSERT_NE(library_, nullptr);
  EXPECT_EQ(CallsSeenOfGetppid(), 0);
  hook->CoverNewLibraries();
  EXPECT_EQ(CallsSeenOfGetppid(), 1);
  hook.reset();
  EXPECT_EQ(CallsSeenOfGetppid(), 0);
}

// While a pass visits objects it also holds the dynamic linker's lock, which serialises hooks as
// well. Only the members of a hook need the mutex of the hooks, so the test reads a member.
TEST_F(ImportHookTest, APassIsSeenWholeOrNotAtAll) {
  auto asked = ImportHook::Install(getpgid_);
  InterruptedWrappers wrappers{"getppid", reinterpret_cast<void*>(&CountedGetppid), &g_getppid};
  for (const char* pass : {"cover", "restore"}) {
    std::unique_ptr<ImportHook> hook;
    if (pass == std::string("restore")) hook = ImportHook::Install(wrappers);
    Asker asker(*asked);
    bool interrupted = false;
    wrappers.in_pass = [&] {
      interrupted = true;
      EXPECT_FALSE(asker.IsAnsweredAtOnce()) << pass;
    };
    if (hook == nullptr) {
      hook = ImportHook::Install(wrappers);
    } else {
      hook.reset();
    }
    EXPECT_TRUE(interrupted) << pass;
    wrappers.in_pass = [] {};
  }
}

}  // namespace
}  // namespace jprof
