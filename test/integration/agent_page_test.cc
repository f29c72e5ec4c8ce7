// The page that the agent makes in the program's process equals the page that jprof makes of the
// same recording, and takes a bounded amount of the program's memory.
#include <filesystem>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

// Returns the hidden recordings in a folder from which the agent makes outputs.
std::vector<std::string> HiddenRecordings(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(".") && name.ends_with(".jfr")) names.push_back(name);
  }
  return names;
}

class AgentPageTest : public CliServerTest {};
JPROF_ON_NEWEST_JDK(AgentPageTest);

TEST_P(AgentPageTest, EqualsThePageThatJprofMakes) {
  const ProcessResult start =
      JprofOn(pid(), {"start", "-e", "wall,cpu,alloc,lock", "-o", "agent.html"});
  ASSERT_EQ(start.exit_code, 0) << start.Describe();
  server().AwaitCpu(0.3e9);
  ASSERT_EQ(JprofOn(pid(), {"dump"}).exit_code, 0);
  const std::vector<std::string> hidden = HiddenRecordings(Path(""));
  ASSERT_THAT(hidden, SizeIs(1));
  // The title of a page is the name of its recording.
  std::filesystem::create_directory(Path("copy"));
  std::filesystem::copy_file(Path(hidden.front()), Path("copy/agent.html"));
  ASSERT_EQ(Jprof({"convert", "copy/agent.html", "ours.html"}).exit_code, 0);
  const std::string page = Content("agent.html");
  EXPECT_THAT(page, HasSubstr("\"lines\":\""));
  EXPECT_TRUE(page == Content("ours.html")) << "see both in " << Path("");
  EXPECT_EQ(JprofOn(pid(), {"stop"}).exit_code, 0);
}

class LargePageTest : public CliTest {};
JPROF_ON_NEWEST_JDK(LargePageTest);

// Some hundred stacks of 2000 frames are enough to exceed the limit of a page.
TEST_P(LargePageTest, RefusesALargePageAndKeepsTheRecording) {
  const ProcessResult run =
      RunProfiled("start,cpu=1ms,file=" + Path("out.html"), {"ManyStacks", "2", "2000", "4000"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const std::vector<std::string> hidden = HiddenRecordings(Path(""));
  ASSERT_THAT(hidden, SizeIs(1)) << run.err;
  EXPECT_THAT(run.err, HasSubstr("too much of the program's memory: use jprof convert; the "
                                 "recording is " +
                                 Path(hidden.front())));
  EXPECT_FALSE(std::filesystem::exists(Path("out.html")));
  const ProcessResult converted = Jprof({"convert", hidden.front(), "out.html"});
  EXPECT_EQ(converted.exit_code, 0) << converted.Describe();
  EXPECT_THAT(Content("out.html"), HasSubstr("many-1"));
}

}  // namespace
}  // namespace jprof::test
