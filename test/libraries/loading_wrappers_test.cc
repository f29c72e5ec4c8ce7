#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <vector>

#include "libraries/library_log.h"
#include "libraries/loading_hook.h"

namespace jprof {
namespace {

const void* g_caller = nullptr;
std::string g_path;
int g_flags = 0;

void* CountedOpen(const char* path, int flags) {
  g_caller = __builtin_return_address(0);
  g_path = path == nullptr ? "(null)" : path;
  g_flags = flags;
  errno = 7;
  return &g_flags;
}

int CountedClose(void* handle) {
  errno = 9;
  return handle == &g_flags ? 3 : 4;
}

class LoadingWrappersTest : public testing::Test {
 protected:
  LoadingWrappersTest() { LibraryLog::OfProcess().Open(); }
  ~LoadingWrappersTest() override {
    LibraryLog::OfProcess().Close();
    LibraryLog::OfProcess().Drop();
  }

  static void* For(LoadingCall call, void* original) {
    return LoadingWrappers::OfProcess().For(static_cast<size_t>(call), original);
  }
  static auto Open() {
    return reinterpret_cast<void* (*)(const char*, int)>(
        For(LoadingCall::kDlopen, reinterpret_cast<void*>(&CountedOpen)));
  }
};

TEST_F(LoadingWrappersTest, CallsTheOriginalDlopenAsIfFromTheCaller) {
  const auto open = Open();
  errno = 0;
  void* const result = open("/no/such/file", RTLD_LAZY);
  EXPECT_EQ(result, &g_flags);
  EXPECT_EQ(errno, 7);
  EXPECT_EQ(g_path, "/no/such/file");
  EXPECT_EQ(g_flags, RTLD_LAZY);
  Dl_info caller{};
  ASSERT_NE(dladdr(g_caller, &caller), 0);
  // If the wrapper called the original instead of jumping to it, g_caller would be in the wrapper.
  const auto* const here = reinterpret_cast<const char*>(&LoadingWrappersTest::Open);
  const auto distance = static_cast<const char*>(g_caller) - here;
  EXPECT_LT(distance < 0 ? -distance : distance, 1 << 16);
  const auto* const wrapper = reinterpret_cast<const char*>(open);
  const auto from_wrapper = static_cast<const char*>(g_caller) - wrapper;
  EXPECT_TRUE(from_wrapper < 0 || from_wrapper > 64);
}

TEST_F(LoadingWrappersTest, OpensAFileThatDlopenLoadsByPath) {
  const auto open = Open();
  open(JPROF_NAMED_CODE, RTLD_NOW);
  open("libc.so.6", RTLD_NOW);
  open(nullptr, RTLD_NOW);
  open(JPROF_OTHER_CODE, RTLD_NOW | RTLD_NOLOAD);
  const std::vector<OpenedFile> files = LibraryLog::OfProcess().TakeFiles();
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files.front().path, JPROF_NAMED_CODE);
  EXPECT_TRUE(files.front().fd.valid());
}

TEST_F(LoadingWrappersTest, AClosedLogAcceptsNothing) {
  LibraryLog::OfProcess().Close();
  Open()(JPROF_NAMED_CODE, RTLD_NOW);
  EXPECT_TRUE(LibraryLog::OfProcess().TakeFiles().empty());
}

TEST_F(LoadingWrappersTest, FilesAreKeptUpToABound) {
  const auto open = Open();
  for (size_t i = 0; i < 2 * LibraryLog::kMaxFiles; ++i) open(JPROF_NAMED_CODE, RTLD_NOW);
  EXPECT_EQ(LibraryLog::OfProcess().TakeFiles().size(), LibraryLog::kMaxFiles);
  open(JPROF_NAMED_CODE, RTLD_NOW);
  EXPECT_EQ(LibraryLog::OfProcess().TakeFiles().size(), 1u);
}

TEST_F(LoadingWrappersTest, PassesOnTheResultAndErrorOfTheOriginalDlclose) {
  const auto close = reinterpret_cast<int (*)(void*)>(
      For(LoadingCall::kDlclose, reinterpret_cast<void*>(&CountedClose)));
  errno = 0;
  EXPECT_EQ(close(&g_flags), 3);
  EXPECT_EQ(errno, 9);
  EXPECT_EQ(close(nullptr), 4);
}

TEST_F(LoadingWrappersTest, DlcloseTakesALookBeforeAndAfter) {
  const auto close = reinterpret_cast<int (*)(void*)>(
      For(LoadingCall::kDlclose, reinterpret_cast<void*>(&dlclose)));
  void* const library = dlopen(JPROF_NAMED_CODE, RTLD_NOW);
  ASSERT_NE(library, nullptr);
  static_cast<void>(LibraryLog::OfProcess().TakeLooks());
  close(library);
  const std::vector<LibraryLook> looks = LibraryLog::OfProcess().TakeLooks();
  ASSERT_EQ(looks.size(), 2u);
  EXPECT_EQ(looks[0].objects.size(), looks[1].objects.size() + 1);
  EXPECT_EQ(looks[0].counts.unloads + 1, looks[1].counts.unloads);
  EXPECT_LE(looks[0].ended_ns, looks[1].ended_ns);
}

TEST_F(LoadingWrappersTest, ReportsALoadBeforeItStarts) {
  static std::string path_before_load;
  g_path = "before";
  LoadingWrappers::SetListener({.before_load = [] {
    path_before_load = g_path;
    errno = 11;
  }});
  const auto open = Open();
  open(JPROF_NAMED_CODE, RTLD_NOW | RTLD_NOLOAD);
  EXPECT_EQ(path_before_load, "") << "nothing is loaded";
  g_path = "before";
  open(JPROF_NAMED_CODE, RTLD_NOW);
  EXPECT_EQ(path_before_load, "before");
  LoadingWrappers::SetListener({});
  path_before_load.clear();
  open(JPROF_NAMED_CODE, RTLD_NOW);
  EXPECT_EQ(path_before_load, "");
}

TEST_F(LoadingWrappersTest, ReportsAnUnload) {
  static int calls = 0;
  LoadingWrappers::SetListener({.after_unload = [] {
    ++calls;
    errno = 11;
  }});
  const auto close = reinterpret_cast<int (*)(void*)>(
      For(LoadingCall::kDlclose, reinterpret_cast<void*>(&dlclose)));
  void* const library = dlopen(JPROF_NAMED_CODE, RTLD_NOW);
  void* const again = dlopen(JPROF_NAMED_CODE, RTLD_NOW);
  errno = 5;
  close(again);
  EXPECT_EQ(calls, 0);
  close(library);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(errno, 5);
  LoadingWrappers::SetListener({});
}

TEST_F(LoadingWrappersTest, EachOriginalHasOneWrapper) {
  for (const LoadingCall call : {LoadingCall::kDlopen, LoadingCall::kDlclose}) {
    void* const original = call == LoadingCall::kDlopen ? reinterpret_cast<void*>(&CountedOpen)
                                                        : reinterpret_cast<void*>(&CountedClose);
    void* const wrapper = For(call, original);
    EXPECT_EQ(For(call, original), wrapper);
    EXPECT_EQ(LoadingWrappers::OfProcess().OriginalOf(wrapper), original);
    EXPECT_EQ(LoadingWrappers::OfProcess().OriginalOf(original), nullptr);
  }
}

}  // namespace
}  // namespace jprof
