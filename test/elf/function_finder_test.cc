#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "elf/symbol_finder.h"

extern "C" __attribute__((noinline)) void jprof_found_by_its_name() { asm volatile(""); }

namespace jprof::found {

__attribute__((noinline)) void Here() { asm volatile(""); }
__attribute__((noinline)) void Twice(int) { asm volatile(""); }
__attribute__((noinline)) void Twice(long) { asm volatile("nop"); }

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

template <typename Function>
uint64_t AddressOf(Function* function) {
  return reinterpret_cast<uint64_t>(function);
}

std::vector<uint64_t> Find(std::string_view name) {
  const LibraryMap map = LibraryMap::Snapshot();
  return FindFunctions(map.libraries().front(), name);
}

TEST(FunctionFinderTest, AFunctionIsFoundByItsNameWithoutParameters) {
  EXPECT_THAT(Find("jprof::found::Here"), ElementsAre(AddressOf(Here)));
  EXPECT_THAT(Find("jprof_found_by_its_name"), ElementsAre(AddressOf(jprof_found_by_its_name)));
}

TEST(FunctionFinderTest, OverloadsAreAllFound) {
  EXPECT_THAT(Find("jprof::found::Twice"),
              UnorderedElementsAre(AddressOf<void(int)>(Twice), AddressOf<void(long)>(Twice)));
}

TEST(FunctionFinderTest, WithoutTheFileAnExportedFunctionIsFoundInMemory) {
  const auto function = reinterpret_cast<uint64_t>(&::posix_openpt);
  Library library = *LibraryMap::Snapshot().Find(Pc{function});
  library.path = "/no/such/library.so";
  EXPECT_THAT(FindFunctions(library, "posix_openpt"), ElementsAre(function));
}

TEST(FunctionFinderTest, FindsNeitherPartsOfNamesNorVariables) {
  EXPECT_THAT(Find("Here"), IsEmpty());
  EXPECT_THAT(Find("found::Here"), IsEmpty());
  EXPECT_THAT(Find("jprof::found::Her"), IsEmpty());
  EXPECT_THAT(Find("environ"), IsEmpty());
}

}  // namespace
}  // namespace jprof::found
