// SmallRecording writes a recording whose content a test knows. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "jfr/writer/event_settings.h"
#include "jfr/writer/jfr_writer.h"

namespace jprof::test {

constexpr int64_t kMillis = 1'000'000;

struct MadeFrame {
  std::string owner, name, descriptor;  // "app/Main", "run", "()V"
  FrameType type;
  int line;
};

struct MadeThread {
  int32_t id;
  std::string name;
};

// Returns the frames with the names `outermost_first`, such as "app.Main.run:12". The result starts
// with the innermost frame. A frame whose name has no line is in line 1. The innermost frame has
// the type `leaf`; all other frames are inlined.
std::vector<MadeFrame> FramesOf(const std::vector<std::string>& outermost_first, FrameType leaf);

class SmallRecording {
 public:
  // Opens a recording with CPU samples of 10 ms and wall clock samples of 20 ms.
  explicit SmallRecording(const std::string& path);
  // A value of `has_spans`. With it, CPU samples have a span id, which is 0 until WorkFor is
  // called.
  static constexpr bool kWithSpans = true;
  SmallRecording(const std::string& path, bool has_spans);

  // Sets the span and the local root span of the following CPU samples.
  void WorkFor(int64_t span, int64_t root);

  void Set(JfrType event, const char* name, const char* value) {
    settings_.Set(event, name, value);
  }
  // Writes the settings. REQUIRES: all settings have been set, and no event has been added.
  void Begin() { settings_.WriteTo(*writer_, 0); }

  // Adds `count` CPU samples of a thread, 10 ms apart; `frames` are innermost first.
  void Cpu(int count, const MadeThread& thread, const std::vector<MadeFrame>& frames);
  void VirtualCpu(int64_t java_id, const std::vector<MadeFrame>& frames);
  void Wall(uint32_t samples, const MadeThread& thread, ThreadState state,
            const std::vector<MadeFrame>& frames);
  // A slow call to a traced method ("app.Main.run"). It starts from_ns after the start of the
  // recording.
  struct Call {
    int64_t from_ns, duration_ns;
    MadeThread thread;
    std::string method;
    bool has_thrown = false;
  };
  void Trace(const Call& call);
  template <class Event>
  void Add(const Event& event) {
    writer_->Append(event);
  }

  // Returns the key of a thread, for an event passed to Add.
  uint32_t Thread(const MadeThread& thread);

  void Wait(int64_t nanos) { time_ns_ += nanos; }
  int64_t now_ns() const { return time_ns_; }
  bool Seal() { return writer_->Seal(time_ns_).ok(); }

 private:
  uint32_t Stack(const std::vector<MadeFrame>& frames);

  std::unique_ptr<JfrWriter> writer_;
  EventSettings settings_;
  std::vector<TrailingValue> spans_;
  int64_t time_ns_ = 0;
};

}  // namespace jprof::test
