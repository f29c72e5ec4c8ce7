#include "libraries/kept_files.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "elf/symbol_table.h"
#include "sigsafe/os/clock.h"
#include "support/temp_folder.h"

namespace jprof {
namespace {

constexpr char kFunction[] = "jprof_test_named_code";

// A copy of a library. Load keeps its file as the wrapper of dlopen does.
class Copy {
 public:
  explicit Copy(const std::string& library = JPROF_NAMED_CODE) {
    std::filesystem::copy_file(library, path());
  }
  ~Copy() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  std::string path() const { return folder_.File("copy.so"); }
  void Load() {
    LibraryLog::OfProcess().KeepFile(path().c_str());
    handle_ = dlopen(path().c_str(), RTLD_NOW);
    ASSERT_NE(handle_, nullptr) << dlerror();
  }
  void Remove() const { std::filesystem::remove(path()); }

  uint64_t function() const { return reinterpret_cast<uint64_t>(dlsym(handle_, kFunction)); }
  Library library() const { return *LibraryMap::Snapshot().Find(Pc{function()}); }

  // Returns the name of the library's function as `image` resolves it, or the error.
  std::string NameIn(const ElfImage& image) const {
    const auto symbols = ResolveSymbols(image, {function() - library().load_bias});
    return symbols.ok() ? symbols.value().front().name : symbols.error().message();
  }

 private:
  const test::TempFolder folder_;
  void* handle_ = nullptr;
};

bool IsFile(const ElfImage& image) { return image.SectionOfType(SHT_SYMTAB) != nullptr; }

class KeptFilesTest : public testing::Test {
 protected:
  KeptFilesTest() { LibraryLog::OfProcess().Open(); }
  ~KeptFilesTest() override {
    LibraryLog::OfProcess().Close();
    LibraryLog::OfProcess().Drop();
  }
};

TEST_F(KeptFilesTest, KeepsADeletedFileThatWasOpenedBeforeDlopen) {
  Copy copy;
  copy.Load();
  copy.Remove();
  KeptFiles files;
  files.TakeOpened(MonotonicNanos());
  const auto image = files.Keep(copy.library());
  ASSERT_NE(image, nullptr);
  EXPECT_TRUE(IsFile(image->elf()));
  EXPECT_EQ(copy.NameIn(image->elf()), kFunction);
}

TEST_F(KeptFilesTest, IgnoresAFileThatReplacedTheLoadedOne) {
  Copy copy;
  copy.Load();
  copy.Remove();
  std::filesystem::copy_file(JPROF_OTHER_CODE, copy.path());
  KeptFiles files;
  files.TakeOpened(MonotonicNanos());
  const auto image = files.Keep(copy.library());
  ASSERT_NE(image, nullptr);
  EXPECT_EQ(copy.NameIn(image->elf()), kFunction);
}

TEST_F(KeptFilesTest, AnUnseenDeletedFileLeavesItsExportedNames) {
  Copy copy;
  copy.Load();
  copy.Remove();
  LibraryLog::OfProcess().Drop();
  KeptFiles files;
  const auto image = files.Keep(copy.library());
  ASSERT_NE(image, nullptr);
  EXPECT_EQ(copy.NameIn(image->elf()), kFunction);
}

TEST_F(KeptFilesTest, ClosesFilesThatAreNotLoaded) {
  const Copy copy;
  LibraryLog::OfProcess().KeepFile(copy.path().c_str());
  struct stat status {};
  ASSERT_EQ(stat(copy.path().c_str(), &status), 0);
  const auto is_open = [&] {
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      struct stat each {};
      if (stat(entry.path().c_str(), &each) == 0 && each.st_ino == status.st_ino &&
          each.st_dev == status.st_dev) {
        return true;
      }
    }
    return false;
  };
  KeptFiles files;
  files.TakeOpened(MonotonicNanos());
  EXPECT_TRUE(is_open());
  files.TakeOpened(MonotonicNanos() + 10 * kNanosPerSecond);
  EXPECT_FALSE(is_open());
}

TEST_F(KeptFilesTest, UsesOnlyItsShareOfTheDescriptors) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{16, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  Copy copy;
  copy.Load();
  KeptFiles files;
  const auto first = files.Keep(copy.library());
  const auto second = files.Keep(copy.library());
  EXPECT_NE(first, nullptr);
  EXPECT_NE(second, nullptr);
  EXPECT_EQ(files.Keep(copy.library()), nullptr);
  setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace jprof
