// Writes the flame graphs that the browser test opens: <folder>/small.html and wall.html, whose
// truth the test knows, deep.html (one stack of 20 000 frames) and large.html (100 000 distinct
// stacks).
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "formats/convert.h"
#include "profile/synthetic_recording.h"
#include "recording/jfr/event_settings.h"
#include "recording/jfr/jfr_writer.h"

namespace {

using namespace jprof;  // NOLINT(google-build-using-namespace): a program of one file

constexpr int64_t kMillis = 1'000'000;

class SmallRecording {
 public:
  explicit SmallRecording(const std::string& path)
      : writer_(
            std::move(JfrWriter::Open(path, ChunkClock{1'700'000'000'000'000'000, 0})).value()) {
    settings_.Enable(JfrType::kExecutionSample);
    settings_.Set(JfrType::kExecutionSample, "period", "10 ms");
    settings_.Set(JfrType::kWallClockSample, "period", "20 ms");
  }

  void Set(JfrType event, const char* name, const char* value) {
    settings_.Set(event, name, value);
  }
  void Begin() { settings_.WriteTo(*writer_, 0); }

  // `count` CPU samples of a thread, 10 ms apart; frames outermost first.
  void Cpu(int count, const std::string& thread, const std::vector<std::string>& frames,
           FrameType leaf = FrameType::kJitCompiled) {
    const uint32_t stack = Stack(frames, leaf);
    for (int i = 0; i < count; ++i) {
      writer_->Append(ExecutionSample{time_ns_ += 10 * kMillis, Thread(thread), stack});
    }
  }
  void Wait(int64_t duration_ns) { time_ns_ += duration_ns; }
  void Wall(int count, const std::string& thread, const std::vector<std::string>& frames) {
    writer_->Append(WallClockSample{time_ns_, Thread(thread), Stack(frames, FrameType::kNative),
                                    ThreadState::kSleeping, static_cast<uint32_t>(count),
                                    count * 20 * kMillis});
  }
  bool Seal() { return writer_->Seal(time_ns_).ok(); }

 private:
  uint32_t Thread(const std::string& name) {
    const uint64_t serial = name == "main" ? 1 : name == "collector" ? 2 : 3;
    return writer_->pools().Thread({serial, static_cast<int32_t>(serial), name, name, 1});
  }
  uint32_t Stack(std::vector<std::string> frames, FrameType leaf) {
    std::reverse(frames.begin(), frames.end());
    ConstantPools& pools = writer_->pools();
    std::vector<FrameConstant> constants;
    for (const std::string& name : frames) {
      const size_t dot = name.rfind('.');
      std::string owner = name.substr(0, dot);
      for (char& c : owner) c = c == '.' ? '/' : c;
      const uint32_t type = pools.Class({.name = owner});
      const FrameType kind = constants.empty() ? leaf : FrameType::kInlined;
      constants.push_back({pools.Method({type, name.substr(dot + 1), "()V"}), 1, 1, kind});
    }
    const uint32_t key = pools.NewStackTraceKey();
    pools.SetStackTrace(key, Truncated::kNo, constants);
    return key;
  }

  std::unique_ptr<JfrWriter> writer_;
  EventSettings settings_;
  int64_t time_ns_ = 0;
};

// 100 CPU samples: app.Main.run 90, of which app.Sort.sort 60 (recursive: 20 of them twice),
// app.Map.get 30; app.Gc.mark 10 in a thread of its own. 50 wall samples of 20 ms.
bool MakeSmall(const std::string& path) {
  SmallRecording recording(path);
  recording.Begin();
  recording.Cpu(40, "main", {"app.Main.run", "app.Sort.sort"});
  recording.Cpu(20, "main", {"app.Main.run", "app.Sort.sort", "app.Sort.sort"});
  recording.Cpu(20, "main", {"app.Main.run", "app.Map.get"});
  recording.Cpu(10, "main", {"app.Main.run", "app.Map.get"}, FrameType::kInterpreted);
  recording.Cpu(10, "collector", {"app.Gc.mark"}, FrameType::kC1Compiled);
  recording.Wall(50, "main", {"app.Main.run", "app.Lock.wait</script>"});
  return recording.Seal();
}

// Asked for: wall, then cpu, of which there is nothing. Three threads for 2 s: two sleep all the
// time, in one sample each; the third did nothing that is known.
bool MakeWall(const std::string& path) {
  SmallRecording recording(path);
  recording.Set(JfrType::kWallClockSample, "request", "1");
  recording.Set(JfrType::kExecutionSample, "request", "2");
  recording.Begin();
  recording.Wait(2000 * kMillis);
  recording.Wall(100, "main", {"app.Main.run", "app.Lock.await"});
  recording.Wall(100, "collector", {"app.Gc.run", "app.Lock.await"});
  recording.Wall(100, "third", {"jprof.[lost: no signal reached the thread]"});
  return recording.Seal();
}

bool MakePage(const std::string& base) {
  const auto report = Convert(base + ".jfr", base + ".html");
  if (!report) std::fprintf(stderr, "%s\n", report.error().message().c_str());
  return report.ok();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: make_pages FOLDER\n");
    return 2;
  }
  const std::string folder = std::string(arguments[1]) + "/";
  const bool made =
      MakeSmall(folder + "small.jfr") && MakePage(folder + "small") &&
      MakeWall(folder + "wall.jfr") && MakePage(folder + "wall") &&
      test::MakeRecording(folder + "deep.jfr", {.samples = 10, .stacks = 1, .depth = 20'000}) &&
      MakePage(folder + "deep") &&
      test::MakeRecording(folder + "large.jfr",
                          {.samples = 200'000, .stacks = 100'000, .depth = 50}) &&
      MakePage(folder + "large");
  return made ? 0 : 1;
}
