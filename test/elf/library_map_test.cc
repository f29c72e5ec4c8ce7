#include "elf/library_map.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <vector>

#include "support/sanitizer.h"

namespace jprof {
namespace {

using testing::MatchesRegex;

Library Range(const std::string& path, uint64_t begin, uint64_t end) {
  Library library;
  library.path = path;
  library.executable = {{begin, end}};
  return library;
}

void OwnCode() {}

TEST(LibraryMapTest, FindsTheLibraryWhoseCodeHoldsThePc) {
  const LibraryMap map({Range("b", 0x3000, 0x4000), Range("a", 0x1000, 0x2000)});
  EXPECT_EQ(map.Find(Pc{0x0FFF}), nullptr);
  EXPECT_EQ(map.Find(Pc{0x1000})->path, "a");
  EXPECT_EQ(map.Find(Pc{0x1FFF})->path, "a");
  EXPECT_EQ(map.Find(Pc{0x2000}), nullptr);
  EXPECT_EQ(map.Find(Pc{0x3FFF})->path, "b");
  EXPECT_EQ(map.Find(Pc{UINT64_MAX}), nullptr);
  EXPECT_EQ(LibraryMap({}).Find(Pc{0x1000}), nullptr);
}

TEST(LibraryMapTest, ALibraryCanHaveSeveralPiecesOfCode) {
  Library split = Range("split", 0x1000, 0x2000);
  split.executable.push_back({0x5000, 0x6000});
  const LibraryMap map({split, Range("between", 0x3000, 0x4000)});
  EXPECT_EQ(map.Find(Pc{0x5500})->path, "split");
  EXPECT_EQ(map.Find(Pc{0x3500})->path, "between");
}

TEST(LibraryMapTest, TheExecutableIsNamedByItsPath) {
  char path[PATH_MAX] = {};
  ASSERT_GT(readlink("/proc/self/exe", path, sizeof path - 1), 0);
  const LibraryMap map = LibraryMap::Snapshot();
  const Library* library = map.Find(Pc{reinterpret_cast<uint64_t>(&OwnCode)});
  ASSERT_NE(library, nullptr);
  EXPECT_EQ(library->path, path);
  EXPECT_EQ(library, &map.libraries().front());
  EXPECT_THAT(library->build_id, MatchesRegex("[0-9a-f]*"));
}

TEST(LibraryMapTest, DoesNotReadANoteOutsideLoadedMemory) {
  if (test::kUnderTsan) GTEST_SKIP() << "TSan takes program headers for constants";
  auto* const headers = reinterpret_cast<ElfW(Phdr)*>(getauxval(AT_PHDR));
  const size_t count = getauxval(AT_PHNUM);
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = reinterpret_cast<uintptr_t>(headers) & ~(page - 1);
  const size_t size = reinterpret_cast<uintptr_t>(headers + count) - begin;
  if (mprotect(reinterpret_cast<void*>(begin), size, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
    GTEST_SKIP() << "program headers cannot be changed here";
  }
  const std::vector<ElfW(Phdr)> before(headers, headers + count);
  for (size_t i = 0; i < count; ++i) {
    if (headers[i].p_type == PT_NOTE) headers[i].p_vaddr += uint64_t{1} << 46;  // unmapped
  }
  const LibraryMap map = LibraryMap::Snapshot();
  std::copy(before.begin(), before.end(), headers);
  EXPECT_EQ(map.libraries().front().build_id, "");
}

TEST(LibraryMapTest, LibrariesHaveThePathAndBiasOfTheDynamicLinker) {
  void* function = dlsym(RTLD_DEFAULT, "dl_iterate_phdr");
  Dl_info info = {};
  ASSERT_NE(dladdr(function, &info), 0);
  const LibraryMap map = LibraryMap::Snapshot();
  const Library* library = map.Find(Pc{reinterpret_cast<uint64_t>(function)});
  ASSERT_NE(library, nullptr);
  EXPECT_EQ(library->path, info.dli_fname);
  EXPECT_EQ(library->load_bias, reinterpret_cast<uint64_t>(info.dli_fbase));
  EXPECT_LE(library->base, library->executable.front().begin);
  EXPECT_GE(library->top, library->executable.back().end);
  EXPECT_THAT(library->build_id, MatchesRegex("[0-9a-f]{40}"));
}

TEST(LibraryMapTest, TheVdsoIsListedOnceUnderItsOwnName) {
  const LibraryMap map = LibraryMap::Snapshot();
  const auto named = std::ranges::count(map.libraries(), kVdsoPath, &Library::path);
  EXPECT_EQ(named, 1);
  const uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
  const auto holding = std::ranges::count_if(
      map.libraries(), [&](const Library& l) { return l.base <= vdso && vdso < l.top; });
  EXPECT_EQ(holding, 1);
}

TEST(LibraryMapTest, ALibraryLoadedLaterAppearsInTheNextSnapshot) {
  const auto has = [](const LibraryMap& map, const std::string& part) {
    return std::ranges::any_of(map.libraries(), [&](const Library& library) {
      return library.path.find(part) != std::string::npos;
    });
  };
  ASSERT_FALSE(has(LibraryMap::Snapshot(), "libresolv"));
  void* handle = dlopen("libresolv.so.2", RTLD_NOW);
  ASSERT_NE(handle, nullptr);
  EXPECT_TRUE(has(LibraryMap::Snapshot(), "libresolv"));
  dlclose(handle);
}

}  // namespace
}  // namespace jprof
