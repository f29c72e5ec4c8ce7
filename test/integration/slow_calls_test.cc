// The slow calls of a server. Samples that the thread of a call has during the call say why it was
// slow.
#include <cmath>
#include <map>
#include <regex>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using Call = std::map<std::string, double>;  // value by column

class SlowCallsTest : public CliTest {
 protected:
  // Returns the rows of `jprof view calls`.
  std::vector<Call> Calls() const {
    const ProcessResult view = Jprof({"view", "calls", "--json", "--limit", "0", "out.jfr"});
    EXPECT_EQ(view.exit_code, 0) << view.Describe();
    const std::regex row(
        R"re(\{([^{}]*"exception":"return","method":"SlowPaths.handle"[^{}]*)\})re");
    const std::regex number(R"re("([a-zA-Z]+)":([0-9.e+]+))re");
    std::vector<Call> calls;
    for (std::sregex_iterator at(view.out.begin(), view.out.end(), row), end; at != end; ++at) {
      const std::string text = (*at)[1];
      Call call;
      for (std::sregex_iterator each(text.begin(), text.end(), number); each != end; ++each) {
        call[(*each)[1]] = std::stod((*each)[2]);
      }
      calls.push_back(call);
    }
    return calls;
  }
};
JPROF_ON_NEWEST_JDK(SlowCallsTest);

TEST_P(SlowCallsTest, SamplesSayWhyRequestsAreSlow) {
  constexpr int kSlowMillis = 400;
  constexpr double kInterval = 64 << 10;
  const ProcessResult run = RunProfiled(
      "start,cpu=1ms,wall=5ms,alloc=64k,lock,trace=SlowPaths.handle:200ms,file=" + Path("out.jfr"),
      {"SlowPaths", "20", std::to_string(kSlowMillis)});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  const auto bytes = static_cast<double>(truth.Number("bytes"));

  int rebuilds = 0, fills = 0, waits = 0, locks = 0;
  for (Call& call : Calls()) {
    const double millis = call["duration"] / 1e6;
    // The time is rounded to whole samples at both ends of a call. A thread that starts is not
    // sampled yet.
    EXPECT_NEAR(call["wall"] * 5, millis, 15 + millis * 0.1);
    EXPECT_LE(call["cpu"], millis + 10);
    if (millis < kSlowMillis) continue;  // the first call loads classes
    if (call["alloc"] > bytes / 2) {
      ++fills;
      const double deviation = std::sqrt(bytes * kInterval);  // 3 % of the bytes
      EXPECT_NEAR(call["alloc"], bytes, 5 * deviation);
      // The error can be much smaller than the deviation: these calls allocate nine tenths of all
      // bytes, and the JVM knows the sum of all bytes.
      EXPECT_GT(call["allocError"], deviation / 10);
      EXPECT_LT(call["allocError"], deviation * 4);
    } else if (call["lock"] / 1e6 > kSlowMillis / 2.0) {
      ++locks;
      EXPECT_LE(call["lock"], call["duration"]);
    } else {
      call["cpu"] > 0.9 * kSlowMillis ? ++rebuilds : ++waits;
    }
  }
  EXPECT_EQ(rebuilds, truth.Number("rebuilds"));
  EXPECT_EQ(fills, truth.Number("fills"));
  EXPECT_EQ(locks, truth.Number("locks"));
  EXPECT_GE(waits, truth.Number("waits"));  // a busy machine can have more
  EXPECT_EQ(rebuilds + fills + locks, 3);
}

}  // namespace
}  // namespace jprof::test
