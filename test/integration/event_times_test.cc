// An event that lasts longer than a chunk, or than a file of a series, is recorded when it ends,
// with its true start and end.
#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

class EventTimesTest : public JvmTest {
 protected:
  // Reads the recordings of all files in the folder.
  std::vector<Recording> Recordings() const {
    std::vector<Recording> recordings;
    for (const std::string& name : FilesInFolder()) recordings.push_back(ReadSound(name));
    return recordings;
  }

  // Returns the only event in all files that has this type, belongs to this thread and lasts at
  // least a second. Shorter events are ignored: the threads end at the same time, and can also wait
  // for System.out.
  static Event TheEvent(const std::vector<Recording>& recordings, const std::string& type,
                        const std::string& thread) {
    std::vector<Event> found;
    for (const Recording& recording : recordings) {
      for (Event& event : recording.OfType(type)) {
        const bool is_long = event.Number("duration") >= 1'000'000'000;
        if (is_long && event.Text("eventThread.javaName") == thread) {
          found.push_back(std::move(event));
        }
      }
    }
    EXPECT_EQ(found.size(), 1u) << type << " of " << thread;
    return found.empty() ? Event() : found[0];
  }
};
JPROF_ON_EVERY_JDK(EventTimesTest);

TEST_P(EventTimesTest, ALongEventHasItsTrueStartAndEnd) {
  constexpr double kMillis = 3500;
  constexpr double kRounding = 2;  // ms: the program's clock rounds, and differs from ours
  const ProcessResult run =
      RunProfiled("start,cpu,lock,trace=LongEvents.call:100ms,loop=1s,file=" + Path("part-%n.jfr"),
                  {"LongEvents", std::to_string(static_cast<int>(kMillis))});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const std::vector<Recording> recordings = Recordings();
  EXPECT_GE(recordings.size(), 3u);
  const ProgramOutput truth(run.out);
  for (const auto& [type, thread] :
       {std::pair("jdk.MethodTrace", "call"), std::pair("jdk.JavaMonitorEnter", "enter"),
        std::pair("jdk.JavaMonitorWait", "wait"), std::pair("jdk.ThreadPark", "park")}) {
    SCOPED_TRACE(type);
    const Event event = TheEvent(recordings, type, thread);
    const double begin = static_cast<double>(event.Number("startTime")) / 1e6;
    const double millis = static_cast<double>(event.Number("duration")) / 1e6;
    EXPECT_GE(begin, truth.Number(std::string(thread) + ".begin") - kRounding);
    EXPECT_LE(begin + millis, truth.Number(std::string(thread) + ".end") + kRounding);
    EXPECT_GE(millis, kMillis * 0.8);
  }
}

}  // namespace
}  // namespace jprof::test
