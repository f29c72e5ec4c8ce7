// The view `leaks` shows the known leak of a program.
#include <cmath>
#include <iostream>

#include "integration/cli_fixture.h"
#include "views/json_rows.h"

namespace jprof::test {
namespace {

class LeaksTest : public CliTest {};
// The JVM has the event for sampled allocations (JEP 331) from JDK 11 on.
JPROF_ON_JDKS_FROM(11, LeaksTest);

// The program forces a collection at the end of each round, so that the view covers all rounds.
TEST_P(LeaksTest, FindsTheLeakedListenersWithClassSiteAndBytes) {
  const std::string file = Path("leak.jfr");
  const ProcessResult run = RunProcess(Java({"ListenerLeak", "12000", "6", AgentLibrary(),
                                             "alloc=64k,live,file=" + file, NativeLibraryFolder()},
                                            {"-Xmx512m"}));
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const double truth = ProgramOutput(run.out).Number("history");

  const ProcessResult shown = Jprof({"view", "leaks", "--json", "--limit", "0", file});
  ASSERT_EQ(shown.exit_code, 0) << shown.Describe();
  const std::vector<JsonRow> rows = JsonRows(shown.out);
  ASSERT_FALSE(rows.empty()) << shown.Describe();
  EXPECT_EQ(rows[0].at("class"), "byte[]");
  bool has_site = false;
  for (const JsonRow& row : rows) {
    if (row.at("class") != "byte[]" ||
        row.at("site") != R"(ListenerLeak$Session.\u003cinit\u003e)") {
      continue;
    }
    has_site = true;
    const double live = std::stod(row.at("live"));
    const double error = std::stod(row.at("liveError"));
    std::cout << jdk() << ' ' << live / truth << " ± " << error / truth << '\n';
    EXPECT_EQ(row.at("growing"), "true");
    EXPECT_NEAR(live, truth, truth / 20 + 4 * error);
  }
  EXPECT_TRUE(has_site) << shown.Describe();
  for (const JsonRow& row : rows) {
    if (row.at("site") == "ListenerLeak$Pages.page") {
      EXPECT_EQ(row.at("growing"), "false") << "the cache is bounded";
    }
  }
}

}  // namespace
}  // namespace jprof::test
