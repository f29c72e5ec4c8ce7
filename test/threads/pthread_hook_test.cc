// Tests that the hook sees every creation of a thread, and that nothing of the hook is left after
// its removal. A look is a call to CoverNewLibraries.
#include "threads/pthread_hook.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "os/native_thread.h"
#include "os/read_file.h"
#include "sigsafe/os/thread_id.h"
#include "support/sanitizer.h"
#include "threads/hook_world.h"

namespace jprof {
namespace {

using test::AllSlots;
using test::CountingObserver;
using test::Creator;
using test::FileMappings;
using test::InstallHook;
using test::kFlavours;

// Starts a thread before any test compares slots, because the dynamic linker fills the slot of this
// program at the first call through the slot.
[[maybe_unused]] const bool g_own_slot_is_bound = [] {
  return NativeThread::Start("warm-up", [] {}).ok();
}();

class LibraryFlavour : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(PthreadHookTest, LibraryFlavour, testing::ValuesIn(kFlavours),
                         [](const auto& flavour) { return std::string(flavour.param); });

TEST_P(LibraryFlavour, AThreadIsAnnouncedOnceAtItsStartAndOnceAtItsEnd) {
  const Creator creator(GetParam());
  CountingObserver observer;
  const auto hook = InstallHook(observer);
  creator.RunNothing();
  EXPECT_EQ(observer.starts, 1);
  EXPECT_EQ(observer.ends, 1);
  EXPECT_EQ(hook->imports().refused_slots(), 0u);
}

TEST_P(LibraryFlavour, AThreadOfC11IsAnnouncedLikeAnyOther) {
  if (test::kUnderTsan) GTEST_SKIP() << "TSan does not know threads of thrd_create";
  const Creator creator(GetParam());
  CountingObserver observer;
  const auto hook = InstallHook(observer);
  thrd_t thread;
  int result = 0;
  ASSERT_EQ(
      creator.thrd(
          &thread, [](void* argument) { return *static_cast<int*>(argument); }, &(result = 42)),
      thrd_success);
  ASSERT_EQ(thrd_join(thread, &result), thrd_success);
  EXPECT_EQ(result, 42);
  EXPECT_EQ(observer.starts, 1);
  EXPECT_EQ(observer.ends, 1);
}

TEST_P(LibraryFlavour, ALibraryLoadedLaterIsCoveredByTheNextLook) {
  CountingObserver observer;
  const auto hook = InstallHook(observer);
  const Creator creator(GetParam());
  creator.RunNothing();
  EXPECT_EQ(observer.starts, 0);
  hook->imports().CoverNewLibraries();
  creator.RunNothing();
  EXPECT_EQ(observer.starts, 1);
}

TEST_P(LibraryFlavour, RemovalPutsBackEverySlotAndEveryProtection) {
  const Creator creator(GetParam());
  const auto slots_before = AllSlots();
  const auto mappings_before = FileMappings();
  CountingObserver observer;
  auto hook = InstallHook(observer);
  EXPECT_NE(AllSlots(), slots_before);
  EXPECT_EQ(FileMappings(), mappings_before)
      << "the pages are protected again while the hook is there";
  hook.reset();
  EXPECT_EQ(AllSlots(), slots_before);
  EXPECT_EQ(FileMappings(), mappings_before);
  creator.RunNothing();
  EXPECT_EQ(observer.starts, 0);
}

TEST_P(LibraryFlavour, ALibraryCanBeUnloadedAndLoadedAgain) {
  CountingObserver observer;
  auto hook = InstallHook(observer);
  for (int i = 0; i < 3; ++i) {
    const Creator creator(GetParam());
    hook->imports().CoverNewLibraries();
    creator.RunNothing();
    EXPECT_EQ(observer.starts, i + 1);
  }
  const Creator again(GetParam());
  const auto fresh = AllSlots(GetParam());
  hook.reset();  // no look since the library was loaded again
  EXPECT_EQ(AllSlots(GetParam()), fresh);
}

TEST(PthreadHookTest, ThreadsOfTheStandardLibraryAreSeen) {
  CountingObserver observer;
  const auto hook = InstallHook(observer);
  std::thread([] {}).join();
  EXPECT_EQ(observer.starts, 1);
}

TEST(PthreadHookTest, ALibraryWithItsOwnScopeIsCovered) {
  if (test::kUnderSanitizer) GTEST_SKIP() << "sanitizers refuse RTLD_DEEPBIND";
  const Creator creator("lazy", RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND);
  CountingObserver observer;
  const auto hook = InstallHook(observer);
  creator.RunNothing();
  EXPECT_EQ(observer.starts, 1);
}

TEST(PthreadHookTest, KeepsAProtectionThatAnotherOwnerChanged) {
  const Creator creator("now");
  const auto slots = AllSlots("creator_now");
  ASSERT_FALSE(slots.empty());
  const auto page_size = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  auto* page = reinterpret_cast<void*>(slots.begin()->first & ~(page_size - 1));
  ASSERT_EQ(mprotect(page, page_size, PROT_READ | PROT_WRITE), 0);
  const auto mappings = FileMappings();
  CountingObserver observer;
  auto hook = InstallHook(observer);
  EXPECT_EQ(FileMappings(), mappings);
  hook.reset();
  EXPECT_EQ(FileMappings(), mappings);
  EXPECT_EQ(AllSlots("creator_now"), slots);
}

TEST(PthreadHookTest, OnlyOneHookIsInstalledAtATime) {
  CountingObserver observer;
  auto hook = InstallHook(observer);
  EXPECT_FALSE(PthreadHook::Install(&observer, {SIGPROF}));
  hook.reset();
  EXPECT_NE(InstallHook(observer), nullptr);
}

TEST(PthreadHookTest, WithoutNewLibrariesALookChangesNothing) {
  const Creator creator("lazy");
  CountingObserver observer;
  const auto hook = InstallHook(observer);
  const auto slots = AllSlots();
  for (int i = 0; i < 3; ++i) hook->imports().CoverNewLibraries();
  EXPECT_EQ(AllSlots(), slots);
}

char StateOf(Tid tid) {
  const Result<std::string> stat =
      ReadFile("/proc/self/task/" + std::to_string(Value(tid)) + "/stat");
  const size_t name_end = stat ? stat.value().rfind(')') : std::string::npos;
  return name_end == std::string::npos ? '?' : stat.value().at(name_end + 2);
}

// GatedLoad is a library that is being loaded. The library's constructor waits at a gate.
class GatedLoad {
 public:
  GatedLoad() {
    EXPECT_EQ(pipe(begun_), 0);
    EXPECT_EQ(pipe(gate_), 0);
    setenv("JPROF_TEST_GATE_BEGUN", std::to_string(begun_[1]).c_str(), 1);
    setenv("JPROF_TEST_GATE", std::to_string(gate_[0]).c_str(), 1);
    loader_ = std::thread([] { dlclose(dlopen(JPROF_GATED_LIBRARY, RTLD_NOW)); });
    char byte;
    EXPECT_EQ(read(begun_[0], &byte, 1), 1);
  }
  ~GatedLoad() {
    if (loader_.joinable()) loader_.join();
    for (const int fd : {begun_[0], begun_[1], gate_[0], gate_[1]}) close(fd);
  }
  GatedLoad(const GatedLoad&) = delete;
  GatedLoad& operator=(const GatedLoad&) = delete;

  void OpenGate() const { EXPECT_EQ(write(gate_[1], "", 1), 1); }
  void Finish() { loader_.join(); }

 private:
  int begun_[2];
  int gate_[2];
  std::thread loader_;
};

// The gate opens once the looking thread sleeps. A look that does not wait returns before the gate
// opens.
TEST(PthreadHookTest, ALookWaitsForLibrariesThatAreBeingLoaded) {
  CountingObserver observer;
  const auto hook = InstallHook(observer);
  GatedLoad load;
  std::atomic<bool> returned{false};
  std::atomic<bool> opened{false};
  std::thread gatekeeper([&, looker = CurrentTid()] {
    while (!returned && StateOf(looker) != 'S') std::this_thread::yield();
    opened = true;
    load.OpenGate();
  });
  hook->imports().CoverNewLibraries();
  EXPECT_TRUE(opened) << "the look did not wait for the constructor";
  returned = true;
  gatekeeper.join();
}

// A constructor might wait for the thread that looks, so the look must return before the
// constructor does.
TEST(PthreadHookTest, ALookLeavesASlowLibraryToTheNext) {
  CountingObserver observer;
  const auto hook = InstallHook(observer);
  GatedLoad load;
  hook->imports().CoverNewLibraries();
  hook->imports().CoverNewLibraries();
  load.OpenGate();
  load.Finish();
  const Creator late("norelro");
  hook->imports().CoverNewLibraries();
  late.RunNothing();
  EXPECT_EQ(observer.starts, 1) << "the next look covers the library";
}

// --- another profiler's hook ---

using CreateFunction = decltype(&CreatePthread);

CreateFunction g_below_other = nullptr;
std::atomic<int> g_other_calls{0};

struct OtherStart {
  void* (*routine)(void*);
  void* argument;
};

void* OtherBegin(void* block) {
  const std::unique_ptr<OtherStart> start(static_cast<OtherStart*>(block));
  return start->routine(start->argument);
}

// Like our hook, the other one runs a routine of its own in the new thread.
int OtherHook(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*),
              void* argument) {
  g_other_calls.fetch_add(1);
  return g_below_other(thread, attributes, OtherBegin, new OtherStart{routine, argument});
}

// OtherProfiler puts its hook into the slot through which a library creates pthreads.
class OtherProfiler {
 public:
  explicit OtherProfiler(const Creator& creator) {
    static constexpr std::string_view kNames[] = {"pthread_create"};
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* data) {
          auto& self = *static_cast<OtherProfiler*>(data);
          const LoadedObject object(*info);
          if (!object.Holds(self.code_, 1, PF_X)) return 0;
          self.slot_ =
              reinterpret_cast<CreateFunction*>(test::ImportsOf(*info, kNames).at(0).address);
          return 1;
        },
        (code_ = reinterpret_cast<uintptr_t>(creator.pthread), this));
    g_other_calls = 0;
    g_below_other = *slot_;
    *slot_ = OtherHook;
  }
  void Leave() { *slot_ = g_below_other; }
  bool InPlace() const { return *slot_ == OtherHook; }

 private:
  uintptr_t code_ = 0;
  CreateFunction* slot_ = nullptr;
};

TEST(PthreadHookTest, CallsAndKeepsAnotherHookBelow) {
  const Creator creator("norelro");
  OtherProfiler other(creator);
  CountingObserver observer;
  auto hook = InstallHook(observer);
  creator.RunNothing();
  EXPECT_EQ(g_other_calls, 1);
  EXPECT_EQ(observer.starts, 1);
  hook.reset();
  EXPECT_TRUE(other.InPlace());
  creator.RunNothing();
  EXPECT_EQ(g_other_calls, 2);
  other.Leave();
}

TEST(PthreadHookTest, LeavesAnotherHookAboveAndForwardsForever) {
  const Creator creator("norelro");
  CountingObserver observer;
  auto hook = InstallHook(observer);
  OtherProfiler other(creator);
  creator.RunNothing();
  EXPECT_EQ(observer.starts, 1);
  hook.reset();
  EXPECT_TRUE(other.InPlace());
  creator.RunNothing();
  EXPECT_EQ(g_other_calls, 2);
  other.Leave();  // puts our wrapper back
  creator.RunNothing();
  EXPECT_EQ(observer.starts, 1);
}

TEST(PthreadHookTest, RemovesAWrapperThatAnotherHookBroughtBack) {
  const Creator creator("norelro");
  const auto slots = AllSlots("creator_norelro");
  CountingObserver observer;
  auto hook = InstallHook(observer);
  OtherProfiler other(creator);
  hook.reset();
  other.Leave();
  EXPECT_NE(AllSlots("creator_norelro"), slots);
  hook = InstallHook(observer);
  creator.RunNothing();
  EXPECT_EQ(observer.starts, 1);
  hook.reset();
  EXPECT_EQ(AllSlots("creator_norelro"), slots);
}

TEST(PthreadHookTest, StaysInPlaceWhenAnotherHookIsRemovedFirst) {
  const Creator creator("norelro");
  const auto slots = AllSlots();
  CountingObserver observer;
  auto hook = InstallHook(observer);
  OtherProfiler other(creator);
  const Creator loaded_meanwhile("now");
  hook->imports().CoverNewLibraries();
  EXPECT_TRUE(other.InPlace()) << "our wrapper is below it already";
  creator.RunNothing();
  EXPECT_EQ(observer.starts, 1);
  other.Leave();
  creator.RunNothing();
  EXPECT_EQ(observer.starts, 2);
  hook.reset();
  for (const auto& [slot, value] : slots) EXPECT_EQ(*reinterpret_cast<uintptr_t*>(slot), value);
}

// The other hook calls pthread_create through a slot that our hook fills as well, so the call
// passes through two wrappers.
TEST(PthreadHookTest, AThreadCreatedThroughTwoWrappersIsAnnouncedOnce) {
  const Creator creator("norelro");
  const Creator inner("now");
  CountingObserver observer;
  OtherProfiler other(creator);
  g_below_other = inner.pthread;
  const auto hook = InstallHook(observer);
  creator.RunNothing();
  EXPECT_EQ(g_other_calls, 1);
  EXPECT_EQ(observer.starts, 1);
  EXPECT_EQ(observer.ends, 1);
}

}  // namespace
}  // namespace jprof
