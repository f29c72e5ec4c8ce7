// A JVM whose exported tables (vmStructs) do not describe all that the walker needs.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// Makes a JDK in `home`, mostly of links to `original`. Its libjvm.so does not export the field
// `name`, because its first letter is changed.
void MakeJdkWithout(const std::string& name, const fs::path& original, const fs::path& home) {
  fs::create_directories(home / "lib/server");
  fs::create_directories(home / "bin");
  for (const auto& entry : fs::directory_iterator(original)) {
    if (entry.path().filename() == "lib" || entry.path().filename() == "bin") continue;
    fs::create_symlink(entry.path(), home / entry.path().filename());
  }
  for (const auto& entry : fs::directory_iterator(original / "lib")) {
    if (entry.path().filename() == "server") continue;
    const fs::path own = home / "lib" / entry.path().filename();
    if (own.filename() == "libjli.so") {
      fs::copy_file(entry.path(), own);
    } else {
      fs::create_symlink(entry.path(), own);
    }
  }
  // bin/java and libjvm.so are copied because both find other files by their own location: the
  // launcher its libraries, and libjvm.so the JDK's folder.
  fs::copy_file(original / "bin/java", home / "bin/java");
  std::ifstream from(original / "lib/server/libjvm.so", std::ios::binary);
  std::string library(std::istreambuf_iterator<char>(from), {});
  const std::string field = std::string(1, '\0') + name + '\0';
  const size_t at = library.find(field);
  ASSERT_NE(at, std::string::npos);
  library[at + 2] = 'X';
  std::ofstream(home / "lib/server/libjvm.so", std::ios::binary) << library;
}

class LayoutTest : public JvmTest {};
JPROF_ON_EVERY_JDK(LayoutTest);

TEST_P(LayoutTest, FallsBackToAsyncGetCallTraceAndSaysSo) {
  const std::string home = Path("jdk");
  ASSERT_NO_FATAL_FAILURE(MakeJdkWithout("_scopes_pcs_offset", fs::canonical(jdk().home), home));
  ProcessSpec spec =
      Java({"BusyLoop", "1", "500"}, {AgentArgument("start,event=cpu,file=" + Path("out.jfr"))});
  spec.argv[0] = home + "/bin/java";
  const ProcessResult run = RunProcess(spec);
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const AgentLog log(run.err);
  EXPECT_EQ(log.LinesWith("AsyncGetCallTrace"), 1) << run.Describe();
  EXPECT_EQ(log.LinesWith("this JVM does not export nmethod._scopes_pcs_offset"), 1);
  const std::vector<Event> samples = SamplesOf(ReadSound("out.jfr"), kExecutionSample, "busy-0");
  const auto whole = std::count_if(samples.begin(), samples.end(), [](const Event& sample) {
    return sample.HasFrame("BusyLoop.run") && sample.frames.back().method == "java.lang.Thread.run";
  });
  ASSERT_GE(samples.size(), 25u);
  EXPECT_GE(whole, static_cast<int64_t>(samples.size()) * 8 / 10);
}

}  // namespace
}  // namespace jprof::test
