// The source file of a class is recorded if it does not follow from the class's name. Every format
// that shows files uses it.
#include <set>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

class SourceFileTest : public CliTest {
 protected:
  void SetUp() override {
    const ProcessResult run =
        RunProfiled("start,cpu=1ms,chunktime=1s,file=" + Path("out.jfr"), {"Neighbours", "1300"});
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
  }

  std::string Converted(const std::string& output, std::vector<std::string> options = {}) const {
    options.insert(options.begin(), "convert");
    options.insert(options.end(), {"out.jfr", output});
    const ProcessResult result = Jprof(options);
    EXPECT_EQ(result.exit_code, 0) << result.Describe();
    return result.out;
  }
};
JPROF_ON_EVERY_JDK(SourceFileTest);

TEST_P(SourceFileTest, IsRecordedOncePerChunkForOtherwiseNamedClasses) {
  const Recording recording = ReadSound("out.jfr");
  std::set<std::string> classes;
  std::set<std::pair<std::string, std::string>> per_chunk;
  for (const Event& event : recording.OfType("profiler.ClassSource")) {
    const std::string name = event.Text("definedClass");
    EXPECT_TRUE(per_chunk.emplace(name, event.Text("startTime")).second) << name << " twice";
    if (!name.starts_with("NextDoor")) {
      EXPECT_THAT(name, Not(HasSubstr("Neighbours"))) << event.Text("sourceFile");
      continue;
    }
    EXPECT_EQ(event.Text("sourceFile"), "Neighbours.java");
    classes.insert(name);
  }
  EXPECT_THAT(classes, ElementsAre("NextDoor", "NextDoor$Cellar"));
}

TEST_P(SourceFileTest, IsUsedByEveryFormatAndSlice) {
  for (const std::vector<std::string>& slice :
       {std::vector<std::string>{}, std::vector<std::string>{"--include", "NextDoor"}}) {
    for (const std::string format : {"firefox", "otlp"}) {
      std::vector<std::string> options = slice;
      options.insert(options.end(), {"--format", format});
      EXPECT_THAT(Converted("-", options),
                  AllOf(HasSubstr("Neighbours.java"), Not(HasSubstr("NextDoor.java"))))
          << format;
    }
  }
}

TEST_P(SourceFileTest, IsFoundWhereSourcesAre) {
  const std::string workloads = JavaSources() + "/workloads";
  EXPECT_THAT(Converted("-", {"--format", "html", "--source", workloads, "--editor", "idea"}),
              AllOf(HasSubstr("\"name\":\"Neighbours.java\",\"path\":\"" + workloads +
                              "/Neighbours.java\",\"text\":\"import java.util.function"),
                    Not(HasSubstr("NextDoor.java"))));
  EXPECT_THAT(Converted("-", {"--format", "firefox", "--source", workloads}),
              HasSubstr("final class NextDoor {"));
}

}  // namespace
}  // namespace jprof::test
