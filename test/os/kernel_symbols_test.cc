#include "os/kernel_symbols.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jprof {
namespace {

constexpr char kLines[] =
    "0000000000000000 A a_number\n"
    "ffffffff81000000 T _stext\n"
    "ffffffff81000000 T _text\n"
    "ffffffff81000200 D a_variable\n"
    "ffffffff81000400 t behind\n"
    "ffffffffc0000100 t module_function\t[some_module]\n"
    "ffffffff81000100 W between";  // out of order, and no newline at the end

TEST(KernelSymbolsTest, AnAddressBelongsToTheFunctionAtOrBeforeIt) {
  const KernelSymbols symbols(kLines);
  EXPECT_EQ(symbols.Of(0xffffffff81000000).name, "_stext") << "the first of two names";
  EXPECT_EQ(symbols.Of(0xffffffff81000001).name, "_stext");
  EXPECT_EQ(symbols.Of(0xffffffff81000300).name, "between") << "data is no code";
  EXPECT_EQ(symbols.Of(0xffffffff81000400).name, "behind");
  EXPECT_EQ(symbols.Of(0xffffffff81000400).module, "[kernel]");
}

TEST(KernelSymbolsTest, NamesTheModuleOfAFunction) {
  const KernelSymbol symbol = KernelSymbols(kLines).Of(0xffffffffc0000123);
  EXPECT_EQ(symbol.module, "[some_module]");
  EXPECT_EQ(symbol.name, "module_function");
}

TEST(KernelSymbolsTest, AddressesWithoutASymbolAreUnknown) {
  EXPECT_EQ(KernelSymbols(kLines).Of(0x1000).name, "[unknown]");
  EXPECT_EQ(KernelSymbols("").Of(0xffffffff81000000).name, "[unknown]");
}

TEST(KernelSymbolsTest, DetectsModulesThatComeGoOrMove) {
  const std::string modules = KernelSymbols::ModulesIn(
      "one 16384 3 two,three, Live 0xffffffffc0001000\ntwo 4096 0 - Live 0xffffffffc0009000\n");
  EXPECT_EQ(modules, "one 0xffffffffc0001000\ntwo 0xffffffffc0009000\n");
  EXPECT_EQ(KernelSymbols::ModulesIn("one 16384 4 two, Live 0xffffffffc0001000\n"
                                     "two 4096 1 one, Live 0xffffffffc0009000\n"),
            modules);
  EXPECT_NE(KernelSymbols::ModulesIn("one 16384 4 two, Live 0xffffffffc0001000\n"), modules);
  EXPECT_EQ(KernelSymbols::ModulesIn("damaged"), "damaged \n");
  EXPECT_EQ(KernelSymbols::ModulesIn(""), "");
}

TEST(KernelSymbolsTest, ReadsSymbolsOfThisMachineIfTheyAreVisible) {
  const Status allowed = KernelSymbols::CheckIsAllowed();
  if (!allowed.ok()) {
    EXPECT_THAT(allowed.error().message(), testing::HasSubstr("/proc/kallsyms"));
    GTEST_SKIP() << allowed.error().message();
  }
  const Result<KernelSymbols> symbols = KernelSymbols::Read();
  ASSERT_TRUE(symbols.ok()) << symbols.error().message();
  EXPECT_NE(symbols.value().Of(UINT64_MAX).name, "[unknown]");
}

}  // namespace
}  // namespace jprof
