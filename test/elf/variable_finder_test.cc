#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "elf/library_image.h"
#include "elf/symbol_finder.h"

namespace jprof {

extern const int kFindMe;
const int kFindMe = 4711;

namespace {

Library ThisProgram() {
  const LibraryMap map = LibraryMap::Snapshot();
  return map.libraries().front();
}

TEST(VariableFinderTest, FindsTheAddressOfAVariable) {
  const auto found = FindVariables(ThisProgram(), {{"no_such_variable", sizeof kFindMe},
                                                   {"_ZN5jprof7kFindMeE", sizeof kFindMe}});
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found.value(), (std::vector<uint64_t>{0, reinterpret_cast<uint64_t>(&kFindMe)}));
}

TEST(VariableFinderTest, DoesNotFindAVariableOfAnotherSize) {
  const auto found = FindVariables(ThisProgram(), {{"_ZN5jprof7kFindMeE", 8}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found.value(), std::vector<uint64_t>{0});
}

TEST(VariableFinderTest, FindsEachVariableByItsOwnSize) {
  const auto found = FindVariables(
      ThisProgram(), {{"_ZN5jprof7kFindMeE", 8}, {"_ZN5jprof7kFindMeE", sizeof kFindMe}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found.value(), (std::vector<uint64_t>{0, reinterpret_cast<uint64_t>(&kFindMe)}));
}

// The names of a program's variables lie anywhere in its string table.
TEST(VariableFinderTest, FindsAllVariablesOfAProgram) {
  const Library program = ThisProgram();
  const Result<ElfImage> image = OpenLibraryImage(program);
  ASSERT_TRUE(image) << image.error().message();
  std::map<std::string, std::set<uint64_t>> addresses;
  ForEachSymbol(image.value(), SHT_SYMTAB, [&](const Elf64_Sym& symbol, const Elf64_Shdr& strings) {
    if (ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_size == sizeof kFindMe) {
      const std::string name = image.value().StringAt(strings, symbol.st_name).value_or("");
      addresses[name].insert(symbol.st_value + program.load_bias);
    }
    return true;
  });
  std::vector<WantedVariable> wanted;
  for (const auto& [name, unused] : addresses) wanted.push_back({name, sizeof kFindMe});
  ASSERT_GT(wanted.size(), 10u);
  const auto found = FindVariables(program, wanted);
  ASSERT_TRUE(found);
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_TRUE(addresses[std::string(wanted[i].name)].contains(found.value()[i]))
        << wanted[i].name;
  }
}

}  // namespace
}  // namespace jprof
