#include "unwind/unwind_publisher.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include "elf/library_map.h"
#include "sigsafe/native/native_cursor.h"
#include "sigsafe/os/clock.h"
#include "support/sanitizer.h"
#include "support/signal_body.h"
#include "support/temp_folder.h"
#include "unwind/frame_index.h"

namespace jprof {
namespace {

constexpr char kCode[] = JPROF_LOADED_CODE;
constexpr char kTwin[] = JPROF_LOADED_TWIN;
constexpr char kCopied[] = JPROF_LOADED_COPIED;
constexpr char kFunction[] = "jprof_test_loaded_code";

using LoadedCode = void (*)(void (*)(void*), void*);

uint64_t AddressOf(const void* function) { return reinterpret_cast<uint64_t>(function); }

bool IsKnown(uint64_t pc) {
  UnwindRule rule;
  const bool has_rules = NativeCode::OfProcess().FindRule(pc, LoadFaults::kFatal, &rule);
  return has_rules && rule.cfa != CfaKind::kNoInformation;
}

void ReadRulesUntilTablesAreWanted() {
  while (!NativeCode::OfProcess().WantsTables()) {
    ASSERT_TRUE(IsKnown(AddressOf(reinterpret_cast<const void*>(&IsKnown))));
  }
}

// The frames of a thread up to its root, walked in a signal handler.
struct Walked {
  uint64_t pcs[200];
  size_t count = 0;
  StepOutcome end = StepOutcome::kFrame;
};

void WalkSelf(Walked* walked) {
  test::InSignal([&](void* data) {
    const auto* context = static_cast<const ucontext_t*>(data);
    const NativeRegisters start = NativeRegistersOf(context);
    StackMemory memory(start.sp, {}, LoadFaults::kFatal);
    NativeCursor cursor(&NativeCode::OfProcess(), &memory, start, context);
    walked->count = 0;
    walked->end = StepOutcome::kFrame;
    while (walked->end == StepOutcome::kFrame && walked->count < 200) {
      walked->pcs[walked->count++] = cursor.registers().pc;
      walked->end = cursor.Step();
    }
  });
}

// True if the vDSO has unwind information. On AArch64 that of newer kernels has none.
bool IsVdsoKnown() {
  void* vdso = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);
  EXPECT_NE(vdso, nullptr);
  const char* name = dlsym(vdso, "__vdso_clock_gettime") != nullptr ? "__vdso_clock_gettime"
                                                                    : "__kernel_clock_gettime";
  return IsKnown(AddressOf(dlsym(vdso, name)));
}

TEST(UnwindPublisherTest, KnowsAllLoadedCode) {
  UnwindPublisher::Update();
  EXPECT_TRUE(IsKnown(AddressOf(reinterpret_cast<const void*>(&IsKnown))));
  EXPECT_TRUE(IsKnown(AddressOf(dlsym(RTLD_DEFAULT, "qsort"))));
#ifdef __x86_64__
  EXPECT_TRUE(IsVdsoKnown());
#endif
  EXPECT_FALSE(UnwindPublisher::Update()) << "nothing was loaded since";
}

TEST(UnwindPublisherTest, AThreadIsWalkedToItsEntry) {
  UnwindPublisher::Update();
  std::thread([] {
    Walked walked;
    WalkSelf(&walked);
    EXPECT_EQ(walked.end, StepOutcome::kOutermost);
    EXPECT_GT(walked.count, 4u);
  }).join();
}

TEST(UnwindPublisherTest, AWalkCrossesTheFrameOfASignalHandler) {
  if (test::kUnderTsan) GTEST_SKIP() << "ThreadSanitizer calls handlers later, elsewhere";
  UnwindPublisher::Update();
  if (!IsVdsoKnown()) GTEST_SKIP() << "the vDSO has no unwind information";
  static Walked walked;
  static uint64_t interrupted;
  struct sigaction action = {};
  struct sigaction previous = {};
  action.sa_sigaction = [](int, siginfo_t*, void* data) {
    interrupted = NativeRegistersOf(static_cast<ucontext_t*>(data)).pc;
    WalkSelf(&walked);
  };
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGUSR1, &action, &previous);
  raise(SIGUSR1);
  sigaction(SIGUSR1, &previous, nullptr);
  EXPECT_EQ(walked.end, StepOutcome::kOutermost);
  // The signal whose handler does the walk might have interrupted the same instruction.
  const int expected = walked.pcs[0] == interrupted ? 2 : 1;
  EXPECT_EQ(std::count(walked.pcs, walked.pcs + walked.count, interrupted), expected)
      << "the instruction that the outer signal struck is a frame";
}

TEST(UnwindPublisherTest, CodeIsKnownWhileItIsLoadedAndNoLonger) {
  void* library = dlopen(kCode, RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  const uint64_t pc = AddressOf(dlsym(library, kFunction));
  UnwindPublisher::Update();
  EXPECT_TRUE(IsKnown(pc));
  dlclose(library);
  EXPECT_TRUE(UnwindPublisher::Update());
  EXPECT_FALSE(IsKnown(pc));
}

TEST(UnwindPublisherTest, CodeIsUnknownOnceItsUnloadingIsReported) {
  UnwindPublisher::Update();
  ReadRulesUntilTablesAreWanted();
  void* library = dlopen(kCode, RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  const uint64_t pc = AddressOf(dlsym(library, kFunction));
  UnwindPublisher::Update();
  UnwindPublisher::RemoveUnloaded();
  EXPECT_TRUE(IsKnown(pc));
  dlclose(library);
  EXPECT_TRUE(IsKnown(pc)) << "nobody has looked";
  UnwindPublisher::RemoveUnloaded();
  EXPECT_FALSE(IsKnown(pc));
  library = dlopen(kCode, RTLD_NOW);
  EXPECT_TRUE(UnwindPublisher::Update()) << "the next look is a look";
  EXPECT_TRUE(IsKnown(AddressOf(dlsym(library, kFunction))));
  dlclose(library);
}

// Regular checks are 100 ms apart; a check after RequestCheck starts after 1 ms. So the 20 rounds
// of the loop take some milliseconds each, not 100 ms.
TEST(UnwindPublisherTest, CodeIsKnownSoonAfterItsLoadingIsReported) {
  const Result<std::unique_ptr<UnwindPublisher>> publisher = UnwindPublisher::Start();
  ASSERT_TRUE(publisher.ok());
  UnwindPublisher::Update();
  const Nanos begun_ns = MonotonicNanos();
  for (int i = 0; i < 20; ++i) {
    UnwindPublisher::RequestCheck();
    void* const library = dlopen(kCode, RTLD_NOW);
    ASSERT_NE(library, nullptr) << dlerror();
    const uint64_t pc = AddressOf(dlsym(library, kFunction));
    while (!IsKnown(pc)) std::this_thread::sleep_for(std::chrono::microseconds(100));
    dlclose(library);
    UnwindPublisher::RemoveUnloaded();
  }
  EXPECT_LT(MonotonicNanos() - begun_ns, kNanosPerSecond);
}

TEST(UnwindPublisherTest, LoadingTheSameLibraryAgainCostsNoMemory) {
  for (int i = 0; i < 3; ++i) {
    void* library = dlopen(kCode, RTLD_NOW);
    UnwindPublisher::Update();
    dlclose(library);
    UnwindPublisher::Update();
  }
  const UnwindTotals before = UnwindPublisher::Totals();
  for (int i = 0; i < 50; ++i) {
    void* library = dlopen(kCode, RTLD_NOW);
    UnwindPublisher::Update();
    dlclose(library);
    UnwindPublisher::Update();
  }
  EXPECT_EQ(UnwindPublisher::Totals().bytes, before.bytes);
}

// True if a walk from within a function of the library reaches the root.
bool WalksFrom(void* library) {
  const auto call = reinterpret_cast<LoadedCode>(dlsym(library, kFunction));
  Walked walked;
  std::thread([&] {
    call([](void* argument) { WalkSelf(static_cast<Walked*>(argument)); }, &walked);
  }).join();
  return walked.end == StepOutcome::kOutermost;
}

TEST(UnwindPublisherTest, CompilesTablesOnceTheyAreWanted) {
  UnwindPublisher::Update();
  const uint64_t pc = AddressOf(reinterpret_cast<const void*>(&IsKnown));
  EXPECT_EQ(NativeCode::OfProcess().Find(pc).table != nullptr,
            NativeCode::OfProcess().WantsTables());
  ReadRulesUntilTablesAreWanted();
  EXPECT_FALSE(UnwindPublisher::Update()) << "nothing was loaded";
  EXPECT_NE(NativeCode::OfProcess().Find(pc).table, nullptr);
  EXPECT_GT(UnwindPublisher::Totals().objects, 1u);
}

// Programs that extract a library once per class loader load such copies.
TEST(UnwindPublisherTest, CopiesOfALibraryShareATable) {
  UnwindPublisher::Update();
  ReadRulesUntilTablesAreWanted();
  UnwindPublisher::Update();
  const UnwindTotals before = UnwindPublisher::Totals();
  const test::TempFolder folder;
  std::vector<void*> copies;
  for (const char* const name : {"a.so", "b.so", "c.so"}) {
    std::filesystem::copy_file(kCopied, folder.File(name));
    copies.push_back(dlopen(folder.File(name).c_str(), RTLD_NOW));
    ASSERT_NE(copies.back(), nullptr) << dlerror();
  }
  for (int looks = 0; looks < 3; ++looks) {
    UnwindPublisher::Update();
    const LibraryMap loaded = LibraryMap::Snapshot();
    for (void* const copy : copies) {
      const uint64_t pc = AddressOf(dlsym(copy, kFunction));
      const Library* const library = loaded.Find(Pc{pc});
      ASSERT_NE(library, nullptr);
      const CodeRange range = NativeCode::OfProcess().Find(pc);
      ASSERT_NE(range.table, nullptr);
      EXPECT_EQ(range.begin, library->executable.front().begin);
      EXPECT_EQ(range.end, library->executable.front().end);
      EXPECT_EQ(range.table->code_size(), range.end - range.begin);
      EXPECT_TRUE(WalksFrom(copy));
    }
    // Without a loaded or unloaded library, the next Update would do nothing.
    dlclose(dlopen(kCode, RTLD_NOW));
  }
  EXPECT_LE(UnwindPublisher::Totals().objects, before.objects + 1);
  for (void* const copy : copies) dlclose(copy);
}

// The files have the same path and build id, and code of the same size at the same offset. Only the
// frames of the code differ.
TEST(UnwindPublisherTest, WalksAReplacedFileByItsOwnFrames) {
  const test::TempFolder folder;
  for (const char* const file : {kCode, kTwin, kCode}) {
    std::filesystem::remove(folder.File("library.so"));
    std::filesystem::copy_file(file, folder.File("library.so"));
    void* const library = dlopen(folder.File("library.so").c_str(), RTLD_NOW);
    ASSERT_NE(library, nullptr) << dlerror();
    UnwindPublisher::Update();
    EXPECT_TRUE(WalksFrom(library)) << file;
    dlclose(library);
    UnwindPublisher::Update();
  }
}

// Several threads repeatedly load a library, walk their stacks inside it and unload it, while the
// publisher's thread runs.
TEST(UnwindPublisherTest, WalksThreadsWhileTheirLibrariesAreLoadedAndUnloaded) {
  const auto publisher = UnwindPublisher::Start();
  ASSERT_TRUE(publisher.ok());
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> walks{0};
  std::atomic<uint64_t> rooted{0};
  const auto work = [&] {
    while (!stop) {
      void* library = dlopen(kCode, RTLD_NOW);
      const auto call = reinterpret_cast<LoadedCode>(dlsym(library, kFunction));
      Walked walked;
      call([](void* argument) { WalkSelf(static_cast<Walked*>(argument)); }, &walked);
      walks.fetch_add(1);
      if (walked.end == StepOutcome::kOutermost) rooted.fetch_add(1);
      dlclose(library);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(work);
  const uint64_t enough = test::kUnderSanitizer ? 300 : 3000;
  while (walks < enough || rooted == 0) {
    UnwindPublisher::Update();
    std::this_thread::yield();
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

TEST(FrameIndexTest, TheLinkersTableNamesEveryEntry) {
  const LibraryMap loaded = LibraryMap::Snapshot();
  for (const Library& library : loaded.libraries()) {
    const Result<FrameIndex> index = IndexEhFrame(library);
    if (!index.ok()) continue;
    const FrameImage& image = index.value().image;
    FrameSection section(std::span(image.bytes).subspan(index.value().section),
                         image.address + index.value().section, FrameFormat::kEhFrame);
    size_t entries = 0;
    std::optional<uint64_t> offset = 0;
    while (offset) {
      entries += section.FunctionAt(*offset) ? 1 : 0;
      offset = section.Next(*offset);
    }
    EXPECT_EQ(index.value().functions.size(), entries) << library.path;
  }
}

}  // namespace
}  // namespace jprof
