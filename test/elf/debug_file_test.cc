#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "elf/library_image.h"
#include "elf/symbol_table.h"
#include "support/temp_folder.h"

namespace jprof {
namespace {

constexpr char kLocal[] = "jprof_test_local_function";

// Loads a copy of one of the two stripped libraries from a folder of its own.
class StrippedLibrary {
 public:
  explicit StrippedLibrary(const std::string& variant)
      : name_("libjprof_stripped_" + variant + ".so"),
        debug_name_("jprof_stripped_" + variant + ".debug") {
    std::filesystem::copy_file(JPROF_STRIPPED + name_, folder_ + name_);
    handle_ = dlopen((folder_ + name_).c_str(), RTLD_NOW);
    EXPECT_NE(handle_, nullptr) << dlerror();
    const auto address =
        reinterpret_cast<void* (*)()>(dlsym(handle_, "jprof_test_address_of_local"));
    pc_ = reinterpret_cast<uint64_t>(address());
  }
  ~StrippedLibrary() { dlclose(handle_); }
  StrippedLibrary(const StrippedLibrary&) = delete;
  StrippedLibrary& operator=(const StrippedLibrary&) = delete;

  const std::string& folder() const { return folder_; }

  Library library() const { return *LibraryMap::Snapshot().Find(Pc{pc_}); }

  void PutDebugFile(const std::string& to) const {
    std::filesystem::create_directories(to.substr(0, to.rfind('/')));
    std::filesystem::copy_file(JPROF_STRIPPED + debug_name_, to);
  }
  void PutDebugFileIn(const std::string& folder) const { PutDebugFile(folder + debug_name_); }

  // Returns the name of the local function as a recording finds it, or the error.
  std::string LocalName() const {
    const Library loaded = library();
    const auto symbols = ResolveSymbols(loaded, {pc_ - loaded.load_bias});
    return symbols.ok() ? symbols.value().front().name : symbols.error().message();
  }

  std::string NameIn(const std::string& root) const {
    const Library loaded = library();
    const Result<ElfImage> image = OpenLibraryImage(loaded);
    const Result<ElfImage> debug =
        OpenDebugFile(loaded, image.ok() ? &image.value() : nullptr, root);
    if (!debug.ok()) return debug.error().message();
    return ResolveSymbols(debug.value(), {pc_ - loaded.load_bias}).value().front().name;
  }

  void RemoveFile() const { std::filesystem::remove(folder_ + name_); }

 private:
  const std::string name_;
  const std::string debug_name_;
  const test::TempFolder home_;
  const std::string folder_ = home_.File("");
  void* handle_ = nullptr;
  uint64_t pc_ = 0;
};

TEST(DebugFileTest, AStrippedLibraryHasNoNameForALocalFunction) {
  EXPECT_NE(StrippedLibrary("with_id").LocalName(), kLocal);
}

TEST(DebugFileTest, IsFoundNextToTheLibraryAndInItsDebugFolder) {
  for (const char* variant : {"with_id", "without_id"}) {
    for (const char* place : {"", ".debug/"}) {
      const StrippedLibrary stripped(variant);
      stripped.PutDebugFileIn(stripped.folder() + place);
      EXPECT_EQ(stripped.LocalName(), kLocal) << variant << ' ' << place;
    }
  }
}

TEST(DebugFileTest, IsFoundByBuildIdWithoutTheLibrarysFile) {
  const StrippedLibrary stripped("with_id");
  const std::string id = stripped.library().build_id;
  ASSERT_EQ(id.size(), 40u);
  const std::string root = stripped.folder() + "root";
  stripped.PutDebugFile(root + "/.build-id/" + id.substr(0, 2) + '/' + id.substr(2) + ".debug");
  EXPECT_EQ(stripped.NameIn(root), kLocal);
  stripped.RemoveFile();
  EXPECT_EQ(stripped.NameIn(root), kLocal);
}

TEST(DebugFileTest, IsFoundBelowTheRootUnderTheLibrarysFolder) {
  const StrippedLibrary stripped("without_id");
  const std::string root = stripped.folder() + "root";
  stripped.PutDebugFileIn(root + stripped.folder());
  EXPECT_EQ(stripped.NameIn(root), kLocal);
}

TEST(DebugFileTest, RejectsAFileOfAnotherBuild) {
  for (const char* variant : {"with_id", "without_id"}) {
    const StrippedLibrary stripped(variant);
    const StrippedLibrary other(std::string(variant) == "with_id" ? "without_id" : "with_id");
    const std::string name = std::string("jprof_stripped_") + variant + ".debug";
    other.PutDebugFile(stripped.folder() + name);
    EXPECT_NE(stripped.LocalName(), kLocal) << variant;
  }
}

TEST(DebugFileTest, AFileOfGarbageIsNoDebugFile) {
  const StrippedLibrary stripped("without_id");
  std::ofstream(stripped.folder() + "jprof_stripped_without_id.debug") << "garbage";
  EXPECT_NE(stripped.LocalName(), kLocal);
}

}  // namespace
}  // namespace jprof
