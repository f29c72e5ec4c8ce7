#include "unwind/unwind_compiler.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "elf/library_map.h"

namespace jprof {
namespace {

const Library* TheCLibrary(const LibraryMap& map) {
  const auto found = std::ranges::find_if(map.libraries(), [](const Library& library) {
    return library.path.find("libc.so.6") != std::string::npos;
  });
  return found == map.libraries().end() ? nullptr : &*found;
}

// An incomplete table would be used as a complete one until the process ends.
TEST(UnwindCompilerTest, MakesNoTableIfItIsCancelled) {
  const LibraryMap map = LibraryMap::Snapshot();
  const Library* library = TheCLibrary(map);
  ASSERT_NE(library, nullptr);
  const FrameIndexes frames = IndexFrames(*library).value();
  int checks = 0;
  const auto whole = CompileUnwindTables(*library, frames, [&] {
    ++checks;
    return false;
  });
  ASSERT_TRUE(whole.ok());
  ASSERT_GT(checks, 10);
  for (int until = 0; until < checks; ++until) {
    int left = until;
    EXPECT_FALSE(CompileUnwindTables(*library, frames, [&] { return left-- <= 0; }).ok()) << until;
  }
}

}  // namespace
}  // namespace jprof
