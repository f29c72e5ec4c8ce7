// The slow calls of a server: each has the samples of its own thread, which say why it was slow.
#include <regex>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

struct Call {
  double duration_ms, cpu, wall;
};

class SlowCallsTest : public CliTest {
 protected:
  // The rows of jprof view calls.
  std::vector<Call> Calls() const {
    const ProcessResult view = Jprof({"view", "calls", "--json", "--limit", "0", "out.jfr"});
    EXPECT_EQ(view.exit_code, 0) << view.Describe();
    const std::regex row(R"re("duration":([0-9.e+]+),"cpu":([0-9.e+]+),"wall":([0-9.e+]+),)re"
                         R"re("exception":"return","method":"SlowPaths.handle")re");
    std::vector<Call> calls;
    for (std::sregex_iterator at(view.out.begin(), view.out.end(), row), end; at != end; ++at) {
      calls.push_back({std::stod((*at)[1]) / 1e6, std::stod((*at)[2]), std::stod((*at)[3])});
    }
    return calls;
  }
};
JPROF_ON_NEWEST_JDK(SlowCallsTest);

TEST_P(SlowCallsTest, SlowRequestsOfAServerHaveTheSamplesThatSayWhy) {
  constexpr int kSlowMillis = 400;
  const ProcessResult run =
      RunProfiled("start,cpu=1ms,wall=5ms,trace=SlowPaths.handle:200ms,file=" + Path("out.jfr"),
                  {"SlowPaths", "60", std::to_string(kSlowMillis)});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);

  int rebuilds = 0, waits = 0;
  for (const Call& call : Calls()) {
    // What covers a moment at either end is rounded; a thread is not sampled while it starts.
    EXPECT_NEAR(call.wall * 5, call.duration_ms, 15 + call.duration_ms * 0.1);
    EXPECT_LE(call.cpu, call.duration_ms + 10);
    if (call.duration_ms < kSlowMillis) continue;  // the first one loads classes
    call.cpu > 0.9 * kSlowMillis ? ++rebuilds : ++waits;
  }
  EXPECT_EQ(rebuilds, truth.Number("rebuilds"));
  EXPECT_EQ(rebuilds, 3);
  EXPECT_GE(waits, truth.Number("waits"));  // more on a machine that is busy
}

}  // namespace
}  // namespace jprof::test
