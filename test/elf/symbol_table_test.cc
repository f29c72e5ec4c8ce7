#include "elf/symbol_table.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "elf/fake_elf.h"

extern "C" __attribute__((noinline, visibility("default"))) void jprof_test_plain_function() {
  asm volatile("");
}

namespace jprof {

__attribute__((noinline)) int MangledTestFunction(int n) {
  asm volatile("" : "+r"(n));
  return n;
}

namespace {

using testing::EndsWith;
using testing::HasSubstr;

std::string NameAt(const FakeElf& elf, uint64_t address) {
  const std::string bytes = elf.Bytes();
  Result<ElfImage> image = ParseBytes(bytes);
  if (!image.ok()) return image.error().message();
  const auto symbols = ResolveSymbols(image.value(), {address});
  return symbols.ok() ? symbols.value().front().name : symbols.error().message();
}

TEST(SymbolTableTest, ASizedSymbolHoldsExactlyItsRange) {
  const FakeElf elf = FakeElf().Add("f", 0x1100, 0x10).Add("g", 0x1200, 0x10);
  EXPECT_EQ(NameAt(elf, 0x10FF), "");
  EXPECT_EQ(NameAt(elf, 0x1100), "f");
  EXPECT_EQ(NameAt(elf, 0x110F), "f");
  EXPECT_EQ(NameAt(elf, 0x1110), "") << "padding behind a function is not the function";
  EXPECT_EQ(NameAt(elf, 0x1205), "g");
}

TEST(SymbolTableTest, ASymbolWithoutSizeEndsAtTheNextOne) {
  const FakeElf elf = FakeElf().Add("z", 0x1100, 0).Add("g", 0x1200, 0x10).Add("last", 0x1300, 0);
  EXPECT_EQ(NameAt(elf, 0x11FF), "z");
  EXPECT_EQ(NameAt(elf, 0x1210), "");
  EXPECT_EQ(NameAt(elf, 0x1FFF), "last");
  EXPECT_EQ(NameAt(elf, 0x2000), "");
}

TEST(SymbolTableTest, TheInnermostOfNestedSymbolsWins) {
  const FakeElf elf = FakeElf().Add("outer", 0x1100, 0x100).Add("inner", 0x1140, 0x10);
  EXPECT_EQ(NameAt(elf, 0x1145), "inner");
  EXPECT_EQ(NameAt(elf, 0x1160), "outer");
}

TEST(SymbolTableTest, ALabelInsideAFunctionDoesNotHideTheFunction) {
  const FakeElf elf =
      FakeElf().Add("f", 0x1100, 0x100).Add("loop", 0x1140, 0, STT_NOTYPE, STB_LOCAL);
  EXPECT_EQ(NameAt(elf, 0x1150), "f");
}

TEST(SymbolTableTest, TheGlobalAliasWinsInEitherOrder) {
  const FakeElf first = FakeElf().Add("a", 0x1100, 8).Add("b", 0x1100, 8, STT_FUNC, STB_LOCAL);
  const FakeElf last = FakeElf().Add("b", 0x1100, 8, STT_FUNC, STB_WEAK).Add("a", 0x1100, 8);
  EXPECT_EQ(NameAt(first, 0x1104), "a");
  EXPECT_EQ(NameAt(last, 0x1104), "a");
}

TEST(SymbolTableTest, OnlyCodeHasNames) {
  EXPECT_EQ(NameAt(FakeElf().Add("object", 0x1100, 8, STT_OBJECT), 0x1100), "");
  EXPECT_EQ(NameAt(FakeElf().Add("_end", 0x3100, 0, STT_NOTYPE, STB_GLOBAL, kData), 0x3200), "");
  EXPECT_EQ(NameAt(FakeElf().Add("gone", 0x1100, 8, STT_FUNC, STB_GLOBAL, SHN_UNDEF), 0x1100), "");
  EXPECT_EQ(NameAt(FakeElf().Add("label", 0x1100, 0, STT_NOTYPE), 0x1100), "label");
}

TEST(SymbolTableTest, MappingSymbolsOfAarch64AreNoNames) {
  const auto with_mark = [](uint16_t machine) {
    return FakeElf(machine).Add("f", 0x1100, 0).Add("$x", 0x1180, 0, STT_NOTYPE, STB_LOCAL);
  };
  EXPECT_EQ(NameAt(with_mark(EM_AARCH64), 0x1190), "f");
  EXPECT_EQ(NameAt(with_mark(EM_X86_64), 0x1190), "$x");
}

TEST(SymbolTableTest, UsesDynamicSymbolsIfThereAreNoOthers) {
  EXPECT_EQ(NameAt(FakeElf().Add("f", 0x1100, 8).AsDynamic(), 0x1100), "f");
}

TEST(SymbolTableTest, ReturnsSymbolsInTheOrderOfTheAddresses) {
  const std::string bytes = FakeElf().Add("f", 0x1100, 8).Add("g", 0x1200, 8).Bytes();
  const auto symbols =
      ResolveSymbols(ParseBytes(bytes).value(), {0x1204, 0x1000, 0x1100, 0x1204, 0x1207});
  ASSERT_TRUE(symbols.ok());
  const std::vector<ResolvedSymbol>& got = symbols.value();
  ASSERT_EQ(got.size(), 5u);
  EXPECT_EQ(got[0].name, "g");
  EXPECT_EQ(got[1].name, "");
  EXPECT_EQ(got[2].name, "f");
  EXPECT_EQ(got[3].name, "g");
  EXPECT_EQ(got[4].start, 0x1200u);
}

// Returns the name of a function of this process, found the way a recording finds it.
std::string NameInThisProcess(const void* function) {
  const auto pc = reinterpret_cast<uint64_t>(function);
  const LibraryMap map = LibraryMap::Snapshot();
  const Library* library = map.Find(Pc{pc});
  if (library == nullptr) return "(no library)";
  const auto symbols = ResolveSymbols(*library, {pc - library->load_bias});
  return symbols.ok() ? symbols.value().front().name : symbols.error().message();
}

TEST(SymbolTableTest, FindsFunctionsOfTheExecutableAndOfLibraries) {
  EXPECT_EQ(NameInThisProcess(reinterpret_cast<void*>(&jprof_test_plain_function)),
            "jprof_test_plain_function");
  EXPECT_EQ(NameInThisProcess(reinterpret_cast<void*>(&MangledTestFunction)),
            "jprof::MangledTestFunction");
  EXPECT_EQ(NameInThisProcess(dlsym(RTLD_DEFAULT, "posix_openpt")), "posix_openpt");
}

TEST(SymbolTableTest, FindsFunctionsOfTheVdso) {
  void* vdso = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);
  ASSERT_NE(vdso, nullptr);
  void* function = dlsym(vdso, "__vdso_clock_gettime");
  if (function == nullptr) function = dlsym(vdso, "__kernel_clock_gettime");  // aarch64
  EXPECT_THAT(NameInThisProcess(function), EndsWith("clock_gettime"));
}

TEST(SymbolTableTest, RejectsAFileReplacedSinceItWasLoaded) {
  const LibraryMap map = LibraryMap::Snapshot();
  Library library = map.libraries().front();
  library.build_id = "00";
  const auto symbols = ResolveSymbols(library, {0x1000});
  ASSERT_FALSE(symbols.ok());
  EXPECT_THAT(symbols.error().message(), HasSubstr("build id differs"));
}

TEST(SymbolTableTest, AMissingFileIsAnErrorThatNamesIt) {
  Library library;
  library.path = "/no/such/library.so";
  EXPECT_THAT(ResolveSymbols(library, {1}).error().message(), HasSubstr("/no/such/library.so"));
}

}  // namespace
}  // namespace jprof
