#include <gtest/gtest.h>

#include <algorithm>

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

}  // namespace
}  // namespace jprof
