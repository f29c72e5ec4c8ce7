// The events that are requested are the events that are written, shown and counted.
#include <regex>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class CliEventTest : public CliServerTest {
 protected:
  // Returns the number of the first match of a pattern; -1 if there is none.
  static int64_t NumberIn(const std::string& text, const std::string& pattern) {
    std::smatch match;
    return std::regex_search(text, match, std::regex(pattern)) ? std::stoll(match[1]) : -1;
  }

  int64_t SumOfCollapsed(const std::string& name) const { return SumOfCounts(Content(name)); }

  // Returns the number of samples of an event by the data of the page.
  int64_t SamplesOfPage(const std::string& name, const std::string& event) const {
    return NumberIn(Content(name), "\"name\":\"" + event +
                                       R"(","unit":"samples","intervalNs":\d+,"samples":(\d+))");
  }

  // Returns the name of the event that the page opens with.
  std::string FirstOfPage(const std::string& name) const {
    const std::string page = Content(name);
    const int64_t first = NumberIn(page, R"("firstKind":(\d+))");
    const std::regex kind(R"re("name":"(\w+)","unit")re");
    auto at = std::sregex_iterator(page.begin(), page.end(), kind);
    std::advance(at, first);
    return (*at)[1];
  }

  // Returns the count of an event in "stopped: 12 samples (5 cpu, 7 wall)".
  static int64_t Stopped(const ProcessResult& result, const std::string& event) {
    return NumberIn(result.out, R"(stopped: \d+ samples \([^)]*?(\d+) )" + event);
  }
};
JPROF_ON_NEWEST_JDK(CliEventTest);

TEST_P(CliEventTest, WallAloneIsWallWithOneCountEverywhere) {
  const ProcessResult direct =
      JprofOn(pid(), {"record", "-d", "500ms", "-e", "wall", "-o", "direct.collapsed"});
  ASSERT_EQ(direct.exit_code, 0) << direct.Describe();
  EXPECT_GT(Stopped(direct, "wall"), 0);
  EXPECT_EQ(SumOfCollapsed("direct.collapsed"), Stopped(direct, "wall"));
  EXPECT_EQ(direct.err, "") << "there was no choice";

  EXPECT_EQ(JprofOn(pid(), {"start", "-e", "wall", "-i", "10ms", "-o", "out.jfr"}).exit_code, 0);
  server().AwaitCpu(0.3e9);
  const ProcessResult stop = JprofOn(pid(), {"stop"});
  const int64_t samples = Stopped(stop, "wall");
  ASSERT_GT(samples, 0) << stop.Describe();
  EXPECT_GT(ReadSound("out.jfr").Count(kExecutionSample), 0) << "for other tools";
  const std::string counts = ": " + std::to_string(samples) + " wall samples";
  EXPECT_THAT(Jprof({"convert", "out.jfr", "out.html"}), Printed("out.html" + counts));
  EXPECT_THAT(Jprof({"convert", "out.jfr", "out.collapsed"}), Printed("out.collapsed" + counts));
  EXPECT_EQ(SumOfCollapsed("out.collapsed"), samples);
  EXPECT_EQ(SamplesOfPage("out.html", "wall"), samples);
  EXPECT_EQ(SamplesOfPage("out.html", "cpu"), -1);
  EXPECT_EQ(FirstOfPage("out.html"), "wall");
  EXPECT_THAT(Jprof({"convert", "--event", "cpu", "out.jfr", "c.collapsed"}),
              FailedWith(kFile, "it has: wall"));
}

TEST_P(CliEventTest, ShowsTheFirstEventAndOffersTheOther) {
  const ProcessResult record =
      JprofOn(pid(), {"record", "-d", "500ms", "-e", "cpu,wall", "-o", "out.jfr"});
  ASSERT_EQ(record.exit_code, 0) << record.Describe();
  const ProcessResult stacks = Jprof({"convert", "out.jfr", "out.collapsed"});
  EXPECT_THAT(stacks.err,
              HasSubstr("out.collapsed shows cpu; also recorded: wall (choose with --event)"));
  EXPECT_EQ(SumOfCollapsed("out.collapsed"), Stopped(record, "cpu"));
  const ProcessResult page = Jprof({"convert", "out.jfr", "out.html"});
  EXPECT_THAT(page.err, HasSubstr("out.html opens on cpu; it also has wall"));
  EXPECT_EQ(SamplesOfPage("out.html", "cpu"), Stopped(record, "cpu"));
  EXPECT_EQ(SamplesOfPage("out.html", "wall"), Stopped(record, "wall"));
  EXPECT_EQ(FirstOfPage("out.html"), "cpu");

  EXPECT_EQ(Jprof({"convert", "-e", "wall", "out.jfr", "out.collapsed"}).err, "");
  EXPECT_EQ(SumOfCollapsed("out.collapsed"), Stopped(record, "wall"));
  EXPECT_EQ(Jprof({"convert", "-e", "wall", "out.jfr", "out.html"}).err, "");
  EXPECT_EQ(FirstOfPage("out.html"), "wall");
}

TEST_P(CliEventTest, KeepsTheOrderOfTheNamedEvents) {
  const ProcessResult record =
      JprofOn(pid(), {"record", "-d", "300ms", "-e", "wall,cpu", "-o", "out.collapsed"});
  EXPECT_THAT(record.err, HasSubstr("out.collapsed shows wall; also recorded: cpu"));
  EXPECT_EQ(SumOfCollapsed("out.collapsed"), Stopped(record, "wall"));
  EXPECT_EQ(JprofOn(pid(), {"start", "-e", "wall,cpu", "-o", "agent.html"}).exit_code, 0);
  server().AwaitCpu(0.2e9);
  const ProcessResult stop = JprofOn(pid(), {"stop"});
  EXPECT_THAT(stop.err, HasSubstr("agent.html opens on wall; it also has cpu"));
  EXPECT_EQ(FirstOfPage("agent.html"), "wall");
  EXPECT_EQ(SamplesOfPage("agent.html", "cpu"), Stopped(stop, "cpu"));
}

TEST_P(CliEventTest, ReportsAFilterThatSelectsNoThread) {
  const std::string words = "no samples of wall: no thread that the filter nobody-* selects";
  const ProcessResult record = JprofOn(
      pid(), {"record", "-d", "300ms", "-e", "wall", "--filter", "nobody-*", "-o", "out.html"});
  EXPECT_EQ(record.exit_code, 0) << record.Describe();
  EXPECT_THAT(record.err, HasSubstr("jprof: warning: " + words));
  EXPECT_THAT(Content("out.html"), HasSubstr("\"note\":\"" + words));
  EXPECT_EQ(JprofOn(pid(), {"start", "--filter", "nobody-*", "-o", "out.jfr"}).exit_code, 0);
  EXPECT_THAT(JprofOn(pid(), {"stop"}).err, HasSubstr("warning: no samples of cpu"));
  const ProcessResult converted = Jprof({"convert", "out.jfr", "out.collapsed"});
  EXPECT_THAT(converted, Printed("out.collapsed: 0 samples"));
  EXPECT_THAT(converted.err, HasSubstr("warning: no samples of cpu"));
}

TEST_P(CliEventTest, ReportsAnEventWithoutSamplesNextToTheOther) {
  const ProcessResult record = JprofOn(pid(), {"record", "-d", "300ms", "-e", "cpu,wall",
                                               "--filter", "Finalizer", "-o", "out.html"});
  EXPECT_THAT(record.err, AllOf(HasSubstr("no samples of cpu"), Not(HasSubstr("samples of wall"))));
  EXPECT_EQ(FirstOfPage("out.html"), "wall");
  EXPECT_THAT(Content("out.html"), HasSubstr("\"note\":\"no samples of cpu"));
}

TEST_P(CliEventTest, StatusSaysThatAFilterKeepsWaitingVirtualThreadsOutOfWall) {
  for (const std::string filter : {"", "main"}) {
    std::vector<std::string> start = {"start", "-e", "wall", "-o", "out.jfr"};
    if (!filter.empty()) start.insert(start.end(), {"--filter", filter});
    EXPECT_EQ(JprofOn(pid(), start).exit_code, 0);
    const bool said =
        JprofOn(pid(), {"status"}).out.find("virtual threads that wait") != std::string::npos;
    EXPECT_EQ(said, !filter.empty() && jdk().major >= 21);
    EXPECT_EQ(JprofOn(pid(), {"stop"}).exit_code, 0);
  }
}

}  // namespace
}  // namespace jprof::test
