// The names of methods while classes are unloaded, redefined, retransformed and traced.
#include <cstdlib>
#include <string>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

// The lines of Swapped in NameStorm.java.
constexpr int kFirstSwapped = 29;
constexpr int kLastSwapped = 47;

// The numbers of seconds and of microseconds of CPU time between two samples. A run by hand sets
// other ones: JPROF_NAMES_SECONDS=60 JPROF_NAMES_MICROS=100 takes a million samples.
std::string Setting(const char* variable, const char* otherwise) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? otherwise : value;
}

struct Names {
  int samples = 0;
  int frames_of_storm = 0;
  int frames_of_swapped = 0;
  int frames_of_first =
      0;  // frames of the method that is replaced, and of the one that replaces it
  int frames_of_other = 0;
  int without_line = 0;
  int missing = 0;
  int wrong = 0;
  std::string example;

  void NoteWrong(const Frame& frame) {
    ++wrong;
    example += frame.method + ":" + std::to_string(frame.line) + "\n";
  }
};

// Checks a frame of a class "Storm000012" or "Storm000012+0x00007f...", whose method that burns is
// "bu_0000012".
void CheckStorm(const Frame& frame, int classes, Names& names) {
  ++names.frames_of_storm;
  const std::string of_class = frame.method.substr(5, 6);
  const size_t method = frame.method.rfind(".bu_");
  if (std::stoi(of_class) > classes) names.NoteWrong(frame);
  if (method != std::string::npos && frame.method.substr(method + 4) != "0" + of_class) {
    names.NoteWrong(frame);
  }
}

void CheckSwapped(const Frame& frame, Names& names) {
  ++names.frames_of_swapped;
  const std::string method = frame.method.substr(frame.method.rfind('.') + 1);
  if (method == "pick_a") ++names.frames_of_first;
  if (method == "pick_b") ++names.frames_of_other;
  const bool is_pick = method == "pick_a" || method == "pick_b";
  if (!is_pick && method != "version" && method != "spin") names.NoteWrong(frame);
  // The code of a probe has no line, and neither has a place in compiled code whose bytecode index
  // is not known.
  if (frame.line == 0) {
    ++names.without_line;
  } else if (frame.line < kFirstSwapped || frame.line > kLastSwapped) {
    names.NoteWrong(frame);
  }
}

class NamesTest : public CliTest {};
JPROF_ON_EVERY_JDK(NamesTest);

TEST_P(NamesTest, NoNameIsMissingOrWrongInAStormOfUnloadingAndRedefinition) {
  const std::string micros = Setting("JPROF_NAMES_MICROS", "500");
  // From JDK 13 on, the flag is needed to replace a method.
  const ProcessResult run =
      RunProfiled("start,event=cpu,interval=" + micros +
                      "us,trace=NameStorm$Swapped.version,chunktime=1s,file=" + Path("out.jfr"),
                  {"NameStorm", Setting("JPROF_NAMES_SECONDS", "6"), "1000"},
                  {OtherAgentArgument(), "-XX:+IgnoreUnrecognizedVMOptions",
                   "-XX:+AllowRedefinitionToAddDeleteMethods"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  const auto classes = static_cast<int>(truth.Number("classes"));
  ASSERT_GE(truth.Number("unloaded"), classes / 2);
  ASSERT_GE(truth.Number("redefined"), 50);
  ASSERT_GE(truth.Number("renamed"), 5);

  Names names;
  for (const Event& sample : ReadSound("out.jfr").OfType(kExecutionSample)) {
    ++names.samples;
    bool is_missing = false;
    for (const Frame& frame : sample.frames) {
      is_missing = is_missing || frame.method == "jprof.[unloaded class]" ||
                   frame.method.starts_with("jprof.[no method");
      if (frame.method.starts_with("Storm0")) CheckStorm(frame, classes, names);
      if (frame.method.starts_with("NameStorm$Swapped.")) CheckSwapped(frame, names);
    }
    names.missing += is_missing ? 1 : 0;
  }
  RecordProperty("names", std::to_string(names.samples) + " samples, " + std::to_string(classes) +
                              " classes, " + std::to_string(names.missing) + " missing");
  printf("%d samples, %d classes (%g unloaded), %g redefinitions: %d missing, %d wrong\n",
         names.samples, classes, truth.Number("unloaded"), truth.Number("redefined"), names.missing,
         names.wrong);
  EXPECT_GT(names.frames_of_storm, 100);
  EXPECT_GT(names.frames_of_swapped, 100);
  EXPECT_GT(names.frames_of_first, 20);
  EXPECT_GT(names.frames_of_other, 20);
  EXPECT_LT(names.without_line, 100 + names.frames_of_swapped / 20);
  EXPECT_EQ(names.missing, 0);
  EXPECT_EQ(names.wrong, 0) << names.example.substr(0, 2000);
}

}  // namespace
}  // namespace jprof::test
