#include "jfr/readers/synthetic_recording.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include "base/scaled_text.h"
#include "jfr/writer/event_settings.h"
#include "jfr/writer/jfr_writer.h"

namespace jprof::test {
namespace {

constexpr int64_t kEpoch = 1'700'000'000'000'000'000;  // 2023-11-14T22:13:20Z
constexpr int64_t kSecond = 1'000'000'000;
constexpr char kSmile[] = "\xF0\x9F\x98\x80";  // U+1F600

// Joins the lines in the order of ReadBack, which sorts by UTF-16 units. Bytes give the same order
// because the lines differ within ASCII.
std::string Sorted(std::vector<std::string> lines) {
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string At(int64_t second) {
  return "startTime=2023-11-14T22:13:" + std::to_string(20 + second) + "Z";
}

class SyntheticRecording {
 public:
  explicit SyntheticRecording(const std::string& path) {
    auto writer = JfrWriter::Open(path, ChunkClock{kEpoch, 0});
    if (!writer) throw std::runtime_error(writer.error().message());
    writer_ = std::move(writer).value();
    settings_.Enable(JfrType::kExecutionSample);
    settings_.Enable(JfrType::kWallClockSample);
    settings_.Set(JfrType::kExecutionSample, "period", DurationText(10'000'000));
    settings_.Set(JfrType::kWallClockSample, "wall", "50000000");
  }

  void Information(int64_t second);
  void FirstSamples();
  void SecondSamples();
  void SealAt(int64_t second) { ASSERT_TRUE(writer_->Seal(second * kSecond).ok()); }
  void StartAt(int64_t second) { ASSERT_TRUE(writer_->StartChunk(second * kSecond).ok()); }
  void AppendFieldsToDataLoss() {
    EventDeclarations declarations = EventDeclarations::All();
    declarations.AppendField(JfrType::kDataLoss, {"spanId", JfrType::kLong});
    declarations.AppendField(JfrType::kDataLoss, {"tenant", JfrType::kString});
    writer_->Declare(std::move(declarations));
  }
  std::string Lines() const { return Sorted(lines_); }

 private:
  void Setting(int64_t second, JfrType event, const std::string& rest) {
    lines_.push_back("jdk.ActiveSetting " + At(second) + " id=" + std::to_string(TypeId(event)) +
                     " " + rest);
  }
  uint32_t Stack(Truncated truncated, const std::vector<FrameConstant>& frames) {
    const uint32_t key = writer_->pools().NewStackTraceKey();
    writer_->pools().SetStackTrace(key, truncated, frames);
    return key;
  }
  void Cpu(int64_t second, uint32_t thread, uint32_t stack, const std::string& rest) {
    writer_->Append(ExecutionSample{second * kSecond, thread, stack, ThreadState::kDefault});
    lines_.push_back("jdk.ExecutionSample " + At(second) + " sampledThread=" + rest +
                     " state=STATE_DEFAULT");
  }
  uint32_t JavaMethod();

  std::unique_ptr<JfrWriter> writer_;
  EventSettings settings_;
  bool enabled_written_ = false;
  std::vector<std::string> lines_;
};

void SyntheticRecording::Information(int64_t second) {
  const int64_t now = second * kSecond;
  const std::string at = At(second);
  writer_->Append(OSInformation{now, "Linux \"6\" <&>\n"});
  lines_.push_back("jdk.OSInformation " + at + " osVersion=Linux \"6\" <&>\n");
  writer_->Append(CPUInformation{now, "x86", "Some CPU", 1, 2, 4});
  lines_.push_back("jdk.CPUInformation " + at +
                   " cpu=x86 description=Some CPU sockets=1 cores=2 hwThreads=4");
  writer_->Append(JVMInformation{
      now, "OpenJDK 64-Bit Server VM",
      "OpenJDK 64-Bit Server VM (25.0.3+9-LTS) for linux-amd64 JRE (25.0.3+9-LTS), built on "
      "2026-04-21T00:00:00Z with gcc 14.2.0",
      "-Xmx1g", std::string_view(), "Main", 1'699'999'999'000, 4711});
  lines_.push_back(
      "jdk.JVMInformation " + at +
      " jvmName=OpenJDK 64-Bit Server VM jvmVersion=OpenJDK 64-Bit Server VM (25.0.3+9-LTS) for "
      "linux-amd64 JRE (25.0.3+9-LTS), built on 2026-04-21T00:00:00Z with gcc 14.2.0 "
      "jvmArguments=-Xmx1g jvmFlags=null javaArguments=Main jvmStartTime=1699999999000 pid=4711");
  writer_->Append(ActiveRecording{.time_ns = now,
                                  .id = 1,
                                  .name = kSmile,
                                  .disk = true,
                                  .recording_start_epoch_ms = kEpoch / 1'000'000});
  lines_.push_back("jdk.ActiveRecording " + at + " id=1 name=" + kSmile +
                   " destination=null disk=true maxAge=0 flushInterval=0 maxSize=0 "
                   "recordingStart=1700000000000 recordingDuration=0");
  settings_.WriteTo(*writer_, now);
  if (!enabled_written_) {
    Setting(second, JfrType::kExecutionSample, "name=enabled value=true");
    Setting(second, JfrType::kWallClockSample, "name=enabled value=true");
    enabled_written_ = true;
  }
  Setting(second, JfrType::kExecutionSample, "name=period value=10 ms");
  Setting(second, JfrType::kWallClockSample, "name=wall value=50000000");
}

uint32_t SyntheticRecording::JavaMethod() {
  ConstantPools& pools = writer_->pools();
  const uint32_t loader = pools.ClassLoader(
      {pools.Class({.name = "jdk/internal/loader/ClassLoaders$AppClassLoader"}), "app"});
  const std::string name = std::string("demo/Caf\xC3\xA9") + kSmile;
  const uint32_t type = pools.Class({.name = name, .loader_key = loader, .modifiers = 1});
  return pools.Method({type, "run", "(Ljava/lang/String;[I)V", 9});
}

void SyntheticRecording::FirstSamples() {
  ConstantPools& pools = writer_->pools();
  const uint32_t group = pools.ThreadGroup({pools.ThreadGroup({0, "system"}), "main"});
  const uint32_t main_thread = pools.Thread({1, 4711, "java", "main", 1, group});
  const uint32_t native_thread = pools.Thread({2, 4712, "GC Thread#0"});
  const uint32_t reused_tid = pools.Thread({3, 4712, "VM \"Thread\""});

  const uint32_t java = JavaMethod();
  const uint32_t libc = pools.Class({.name = "libc.so.6"});
  const uint32_t native = pools.Method({libc, "epoll_wait", "()L;"});
  const uint32_t kernel =
      pools.Method({pools.Class({.name = "kernel"}), "do_syscall_64", "(Lk;)L;"});
  const uint32_t hidden = pools.Method(
      {pools.Class({.name = "demo/Lambda+0x1", .hidden = true}), "apply", "()V", 0, true});
  const uint32_t no_name = pools.Method({pools.Class({.name = ""}), "", "()L;"});

  const std::string main_text = "{java 4711 main 1 -/system/main}";
  const std::string java_text =
      std::string("app//demo.Caf\xC3\xA9") + kSmile + ".run(Ljava/lang/String;[I)V";
  Cpu(1, main_thread,
      Stack(Truncated::kNo, {{kernel, 0, 0, FrameType::kKernel},
                             {native, 0, 0, FrameType::kNative},
                             {hidden, 0, 0, FrameType::kInlined},
                             {java, 42, 7, FrameType::kC1Compiled},
                             {java, 43, 8, FrameType::kInterpreted},
                             {java, 44, 9, FrameType::kJava}}),
      main_text +
          " stackTrace={ kernel.do_syscall_64(Lk;)L;:0@0/Kernel libc.so.6.epoll_wait()L;:0@0/Native"
          " demo.Lambda+0x1.apply()V:0@0/Inlined/hidden " +
          java_text + ":42@7/C1 compiled " + java_text + ":43@8/Interpreted " + java_text +
          ":44@9/Java}");
  Cpu(2, native_thread,
      Stack(Truncated::kYes,
            {{native, 0, 0, FrameType::kCpp}, {no_name, 0, 0, FrameType::kNative}}),
      "{GC Thread#0 4712 null - -} stackTrace={truncated libc.so.6.epoll_wait()L;:0@0/C++ "
      ".()L;:0@0/Native}");
  Cpu(3, reused_tid, pools.NewStackTraceKey(), "{VM \"Thread\" 4712 null - -} stackTrace={}");
  Cpu(4, 0, pools.NewStackTraceKey(), "null stackTrace={}");

  writer_->Append(InitialSystemProperty{5 * kSecond, "long", std::string(65'535, 'x')});
  lines_.push_back("jdk.InitialSystemProperty " + At(5) + " key=long value=65535 characters");
  writer_->Append(NativeLibrary{5 * kSecond, "/lib/libc.so.6", 0x7F0000000000, 0xFFFFFFFFFFFFF000,
                                "0123456789abcdef"});
  lines_.push_back("jdk.NativeLibrary " + At(5) +
                   " name=/lib/libc.so.6 baseAddress=139637976727552 topAddress=-4096 "
                   "buildId=0123456789abcdef");
}

void SyntheticRecording::SecondSamples() {
  ConstantPools& pools = writer_->pools();
  const uint32_t renamed = pools.Thread({1, 4711, "java", std::string("renamed ") + kSmile, 1});
  const uint32_t virtual_thread =
      pools.Thread({.serial = 9, .java_name = "", .java_id = 77, .is_virtual = true});
  const uint32_t stack = Stack(Truncated::kNo, {{JavaMethod(), -1, -1, FrameType::kJitCompiled}});
  writer_->Append(
      WallClockSample{11 * kSecond, renamed, stack, ThreadState::kSleeping, 3, 150'000'000});
  lines_.push_back("profiler.WallClockSample " + At(11) + " sampledThread={java 4711 renamed " +
                   kSmile + " 1 -} stackTrace={ app//demo.Caf\xC3\xA9" + kSmile +
                   ".run(Ljava/lang/String;[I)V:-1@-1/JIT compiled} state=STATE_SLEEPING "
                   "samples=3 timeSpan=PT0.15S");
  Cpu(12, virtual_thread, pools.NewStackTraceKey(), "{null -  77 -} stackTrace={}");
  writer_->Append(DataLoss{13 * kSecond, 100, 200}, int64_t{-77}, std::string_view("blue"));
  // The JDK's reader prints a struct in several lines. The size: 2 bytes of the struct, 9 of the
  // span, 6 of the text.
  const std::string appended =
      "appended={\n  size = 17\n  type = " + std::to_string(TypeId(JfrType::kAppended)) + "\n}\n";
  lines_.push_back("jdk.DataLoss " + At(13) + " amount=100 total=200 " + appended +
                   " spanId=-77 tenant=blue");
}

}  // namespace

std::string WriteSyntheticRecording(const std::string& path) {
  SyntheticRecording recording(path);
  recording.Information(0);
  recording.FirstSamples();
  recording.SealAt(6);
  recording.AppendFieldsToDataLoss();
  recording.StartAt(10);
  recording.Information(10);
  recording.SecondSamples();
  recording.SealAt(14);
  return recording.Lines();
}

std::string WriteEmptyRecording(const std::string& path) {
  SyntheticRecording recording(path);
  recording.Information(0);
  recording.SealAt(1);
  return recording.Lines();
}

}  // namespace jprof::test
