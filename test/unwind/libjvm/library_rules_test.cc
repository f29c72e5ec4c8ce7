// Compares the rules that are read from libraries with those of compiled tables.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "elf/library_map.h"
#include "jvm/embedded/embedded_jvm.h"
#include "sigsafe/native/frame_lookup.h"
#include "unwind/frame_index.h"
#include "unwind/unwind_compiler.h"

namespace jprof::test {
namespace {

// The code of libraries that this process has loaded, and their compiled tables.
struct Compiled {
  Library library;
  AddressRange code;
  BuiltTable table;
};

std::vector<Compiled> CompileAll() {
  std::vector<Compiled> all;
  const LibraryMap map = LibraryMap::Snapshot();
  for (const Library& library : map.libraries()) {
    const Result<FrameIndex> frames = IndexEhFrame(library);
    if (!frames) continue;
    for (const AddressRange& code : library.executable) {
      Result<BuiltTable> table = CompileTable(frames.value(), {}, library.load_bias, code);
      if (table) all.push_back({library, code, std::move(table).value()});
    }
  }
  return all;
}

// Counts the addresses at which a rule that was read from the library is not that of the table.
struct Agreement {
  uint64_t equal = 0;
  uint64_t different = 0;
  uint64_t unread = 0;  // the table has a rule, and none could be read
};

Agreement Compare(const Compiled& compiled, LoadFaults faults, uint64_t step) {
  Agreement agreement;
  for (uint64_t pc = compiled.code.begin; pc < compiled.code.end; pc += step) {
    const UnwindRule& expected = compiled.table.table->Find(pc - compiled.code.begin);
    UnwindRule rule;
    if (!FindRuleInLibrary(compiled.library.frame_header.begin, pc, faults, &rule)) {
      agreement.unread += expected.cfa == CfaKind::kNoInformation ? 0 : 1;
      continue;
    }
    ++(rule == expected ? agreement.equal : agreement.different);
  }
  return agreement;
}

class LibraryRulesTest : public testing::TestWithParam<std::string> {};

TEST_P(LibraryRulesTest, RulesReadFromALibraryEqualThoseOfItsTable) {
  ASSERT_NE(dlopen(GetParam().c_str(), RTLD_LAZY), nullptr) << dlerror();
  uint64_t equal = 0;
  for (const Compiled& each : CompileAll()) {
    for (const LoadFaults faults : {LoadFaults::kCaught, LoadFaults::kFatal}) {
      const uint64_t step = faults == LoadFaults::kCaught ? 5 : 5003;
      const Agreement agreement = Compare(each, faults, step);
      EXPECT_EQ(agreement.different, 0u) << each.library.path;
      EXPECT_LE(1000 * agreement.unread, agreement.equal) << each.library.path;
      equal += agreement.equal;
    }
  }
  EXPECT_GT(equal, 2'000'000u) << "libjvm has more than 10 MB of code";
}

INSTANTIATE_TEST_SUITE_P(InstalledJdks, LibraryRulesTest, testing::ValuesIn(InstalledLibjvms()));

}  // namespace
}  // namespace jprof::test
