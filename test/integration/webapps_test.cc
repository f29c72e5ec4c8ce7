// While one recording runs, a real server (Tomcat, from Maven Central) loads and unloads a web
// application two hundred times. The application contains its own jprof.jar.
#include <filesystem>

#include "support/jvm/jvm_test.h"
#include "support/jvm/maven.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int kTimes = 200;
// More virtual threads than can have contexts at the same time.
constexpr int kVirtualThreads = 2000;
constexpr int kPlatformThreads = 100;

class WebAppsTest : public JvmTest {
 protected:
  static std::string JarFolder() { return testing::TempDir() + "jprof-webapps"; }
  std::string WebInf(const std::string& name) const { return Path("app/WEB-INF/" + name); }

  void Compile(const std::string& classes, const std::vector<std::string>& sources) const {
    ProcessSpec javac;
    javac.argv = {
        ReaderOf(jdk()).Tool("javac"),       "--release", "11",   "-Xlint:-options", "-cp",
        JarFolder() + "/*:" + JavaLibrary(), "-d",        classes};
    for (const std::string& source : sources) {
      javac.argv.push_back(JavaSources() + "/webapps/" + source);
    }
    const ProcessResult compiled = RunProcess(javac);
    ASSERT_EQ(compiled.exit_code, 0) << compiled.Describe();
  }

  void SetUp() override {
    if (!FetchFromMaven("webapps", "copy-dependencies", JarFolder())) {
      GTEST_SKIP() << "Tomcat cannot be had from Maven Central";
    }
    std::filesystem::create_directories(WebInf("lib"));
    std::filesystem::copy(JavaLibrary(), WebInf("lib/jprof.jar"));
    Compile(Path("server"), {"WebServer.java"});
    Compile(WebInf("classes"), {"app/ShopListener.java", "app/ShopServlet.java"});
  }
};
// Tomcat 10 needs JDK 11.
JPROF_ON_JDKS_FROM(11, WebAppsTest);

TEST_P(WebAppsTest, UnloadsApplicationsThatLoadedTheProfiler) {
  const bool has_virtual = jdk().major >= kFirstMajorWithVirtualThreads;
  ProcessSpec server = Java(
      {"-cp", JarFolder() + "/*:" + Path("server"), "WebServer", folder(), std::to_string(kTimes),
       std::to_string(has_virtual ? kVirtualThreads : kPlatformThreads)},
      {"-Djprof.library=" + AgentLibrary(), "-Dshop.recording=" + Path("out.jfr"), "-Xms128m",
       "-Xmx128m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC"});
  server.timeout = std::chrono::seconds(900);
  const ProcessResult run = RunProcess(server);
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput said(run.out);
  EXPECT_EQ(said.Number("served"), kTimes) << run.Describe();
  EXPECT_EQ(said.Number("loaded"), 0);
  EXPECT_EQ(said.Number("bean"), 0);
  EXPECT_THAT(run.out, HasSubstr("stop=stopped: "));
  EXPECT_THAT(run.out, Not(HasSubstr("not kept")));
  // The bounds are in kB. If memory were not released, the contexts of a hundred rounds would take
  // 280 MB, and the classes of their class loaders 20 MB.
  EXPECT_LE(said.Number("metaspace.all") - said.Number("metaspace.half"), 2'000) << run.out;
  EXPECT_LE(said.Number("memory.all") - said.Number("memory.half"), 40'000) << run.out;
  int marked = 0;
  for (const Event& sample : ReadSound("out.jfr").OfType(kExecutionSample)) {
    if (!sample.HasFrame("ShopServlet.span1")) continue;
    ++marked;
    EXPECT_EQ(sample.Number("spanId"), 1);
  }
  EXPECT_GE(marked, kTimes / 4);
}

}  // namespace
}  // namespace jprof::test
