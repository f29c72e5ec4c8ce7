// jprof.Profiler: finds its library in each of its places, and controls recordings.
#include <filesystem>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class ProfilerApiTest : public JvmTest {
 protected:
  // A jar without a library beside it.
  void SetUp() override {
    std::filesystem::copy(std::filesystem::path(AgentLibrary()).parent_path() / "jprof.jar", jar_);
  }

  ProcessResult Run(const std::vector<std::string>& jvm_arguments,
                    const std::vector<std::string>& arguments = {}) const {
    std::vector<std::string> program = {"-cp", jar_ + ":" + ContextClasses(), "ProfilerApi",
                                        Path("out.jfr")};
    program.insert(program.end(), arguments.begin(), arguments.end());
    return RunProcess(Java(program, jvm_arguments));
  }

  void ExpectControl(const ProcessResult& run) const {
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    EXPECT_THAT(run.out, HasSubstr("wrong='cpu=never'"));
    EXPECT_THAT(run.out, HasSubstr("wrong=control character in 'status\\x00,x'"));
    EXPECT_THAT(run.out, HasSubstr("wrong=control character in 'status\\x00'"));
    EXPECT_THAT(run.out, HasSubstr("start=recording cpu"));
    EXPECT_THAT(run.out, HasSubstr("bean=state     recording"));
    EXPECT_THAT(run.out, HasSubstr("copies=2\nstop=stopped: "));
    EXPECT_GE(ReadSound("out.jfr").Count(kExecutionSample), 100);
  }

  const std::string jar_ = Path("jprof.jar");
};
JPROF_ON_EVERY_JDK(ProfilerApiTest);

TEST_P(ProfilerApiTest, LoadsTheLibraryAtAPathAndItsCopyAndItsBeanControlIt) {
  ExpectControl(Run({}, {AgentLibrary()}));
}

TEST_P(ProfilerApiTest, LoadsTheLibraryInsideOfItsJarAndLeavesNothingBehind) {
  std::filesystem::create_directories(Path("in/jprof/linux-x64"));
  std::filesystem::create_directories(Path("tmp"));
  std::filesystem::copy(AgentLibrary(), Path("in/jprof/linux-x64/libprofiler.so"));
  ProcessSpec jar;
  jar.argv = {jdk().Tool("jar"), "-0uf", jar_, "-C", Path("in"), "jprof/linux-x64/libprofiler.so"};
  const ProcessResult packed = RunProcess(jar);
  ASSERT_EQ(packed.exit_code, 0) << packed.Describe();
  ExpectControl(Run({"-Djava.io.tmpdir=" + Path("tmp")}));
  EXPECT_TRUE(std::filesystem::is_empty(Path("tmp")));
}

TEST_P(ProfilerApiTest, LoadsTheLibraryThatAPropertyNamesOrSaysWhereItLooked) {
  ExpectControl(Run({"-Djprof.library=" + AgentLibrary()}));
  const ProcessResult none = Run({});
  EXPECT_THAT(none.out,
              HasSubstr("refused=there is no libprofiler.so beside jprof.jar, and none in "
                        "it: name its path by -Djprof.library=PATH"));
  const ProcessResult wrong = Run({"-Djprof.library=/no/such/libprofiler.so"});
  EXPECT_THAT(wrong.out, HasSubstr("refused=the profiler cannot be loaded: "));
  EXPECT_EQ(wrong.exit_code, 0) << wrong.Describe();
}

}  // namespace
}  // namespace jprof::test
