// Stacks with gaps. The answer to a stop warns if there are many, and the view losses names the
// reasons.
#include <cstdio>
#include <map>
#include <set>
#include <string>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kWarning[] = "frames were not found or have no names";

class GapsTest : public CliTest {
 protected:
  Recording RecordPowers(const std::string& walker) {
    run_ = RunProfiled("start,cpu=5ms,cstack=" + walker + ",file=" + Path("out.jfr"),
                       {"Powers", "1500"});
    EXPECT_EQ(run_.exit_code, 0) << run_.Describe();
    return ReadSound("out.jfr");
  }

  ProcessResult run_;
};
JPROF_ON_EVERY_JDK(GapsTest);

// AsyncGetCallTrace cannot walk from the generated code that computes powers.
TEST_P(GapsTest, TheStopWarnsOfManyAndTheViewHasTheReasons) {
  const Recording recording = RecordPowers("agct");
  int samples = 0;
  int with_gap = 0;
  std::map<std::string, int> by_gap;
  for (const Event& event : recording.OfType("jdk.ExecutionSample")) {
    ++samples;
    std::set<std::string> gaps;
    for (const auto& frame : event.frames) {
      const std::string name = frame.method.substr(frame.method.find('[') + 1);
      if (name.starts_with("unknown frame, ") || name.starts_with("not walkable, ")) {
        gaps.insert('[' + name);
      }
    }
    with_gap += gaps.empty() ? 0 : 1;
    for (const std::string& gap : gaps) ++by_gap[gap];
  }
  ASSERT_GT(with_gap, samples / 10);
  char share[32];
  std::snprintf(share, sizeof share, "in %.1f %% of cpu ", 100.0 * with_gap / samples);
  EXPECT_THAT(run_.err, HasSubstr(share + std::string(kWarning)));
  const ProcessResult losses = Jprof({"view", "losses", "out.jfr"});
  for (const auto& [gap, count] : by_gap) {
    EXPECT_THAT(losses, Printed(std::to_string(count) + " samples with " + gap));
  }
}

TEST_P(GapsTest, NoWarningWithTheProfilersOwnWalker) {
  RecordPowers("vm");
  EXPECT_THAT(run_.err, Not(HasSubstr(kWarning)));
}

}  // namespace
}  // namespace jprof::test
