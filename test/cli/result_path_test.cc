#include "cli/convert/result_path.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/output_place.h"
#include "support/temp_folder.h"

namespace jprof {
namespace {

TEST(ResultPathTest, PutsASuffixBeforeTheWholeExtension) {
  EXPECT_EQ(WithSuffix("/x/a.html", "-2"), "/x/a-2.html");
  EXPECT_EQ(WithSuffix("/x/a.b.html.gz", "-2"), "/x/a.b-2.html.gz");
  EXPECT_EQ(WithSuffix("/x/a.pb.gz", "-2"), "/x/a-2.pb.gz");
  EXPECT_EQ(WithSuffix("a.jfr", "-2"), "a-2.jfr");
}

TEST(ResultPathTest, ADotInTheNameOfAFolderStartsNoExtension) {
  EXPECT_EQ(WithSuffix("/x.d/a", "-2"), "/x.d/a-2");
  EXPECT_EQ(WithSuffix("/x.d/a.gz", "-2"), "/x.d/a-2.gz");
}

TEST(ResultPathTest, AFreeNameKeepsTheFormat) {
  const test::TempFolder folder;
  std::ofstream(folder.File("a.html.gz")) << "taken";
  std::ofstream(folder.File("a-2.html.gz")) << "taken";
  EXPECT_EQ(FreeName(folder.File("a.html.gz")), folder.File("a-3.html.gz"));
}

TEST(ResultPathTest, EscapesLineFeedsInTheResultLine) {
  EXPECT_EQ(ResultLine("/x/a\njprof: forged.jfr", {}).find('\n'),
            ResultLine("/x/a\njprof: forged.jfr", {}).size() - 1);
}

}  // namespace
}  // namespace jprof
