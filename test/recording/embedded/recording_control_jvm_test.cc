#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include <filesystem>
#include <optional>
#include <string>
#include <thread>

#include "base/scoped_fd.h"
#include "jvm/embedded/embedded_jvm.h"
#include "recording/recording_control.h"
#include "sigsafe/os/clock.h"
#include "support/temp_folder.h"

namespace jprof {
namespace {

bool BecomesIdle(RecordingControl& control) {
  const Nanos deadline_ns = MonotonicNanos() + 60 * kNanosPerSecond;
  while (control.CurrentStatus().facts.Text("state") != "idle") {
    if (MonotonicNanos() > deadline_ns) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

bool IsRecording(RecordingControl& control) {
  return control.CurrentStatus().facts.Text("state") == "recording";
}

// Returns the time left until the timeout; nullopt if there is none.
std::optional<Nanos> TimeLeft(RecordingControl& control) {
  const AgentAnswer status = control.CurrentStatus();
  if (!status.facts.Has("stopsInNs")) return std::nullopt;
  return status.facts.Time("stopsInNs");
}

// While an object of this class exists, the JVM refuses to attach threads.
class AttachRefusal {
 public:
  explicit AttachRefusal(JavaVM* vm) : vm_(vm), theirs_(vm->functions) {
    static JNIInvokeInterface_ refusing;
    refusing = *theirs_;
    refusing.AttachCurrentThreadAsDaemon = [](JavaVM*, void**, void*) -> jint { return JNI_ERR; };
    vm_->functions = &refusing;
  }
  ~AttachRefusal() { vm_->functions = theirs_; }

 private:
  JavaVM* const vm_;
  const JNIInvokeInterface_* const theirs_;
};

void RefuseAStop(JNIEnv* jni, ChildReport* report) {
  JavaVM* vm = nullptr;
  jni->GetJavaVM(&vm);
  const test::TempFolder folder;
  auto& control = *new RecordingControl;
  report->Expect(control.Connect(vm).ok(), "it connects");
  const auto started = control.Start(
      ParseOptions("start,cpu,timeout=1s,file='" + folder.File("a.jfr") + "'").value());
  if (!started) return report->Expect(false, started.error().message());
  {
    const AttachRefusal refusal(vm);
    std::thread([&] { report->Expect(!control.Stop(Options()).ok(), "a stop is refused"); }).join();
    report->Expect(TimeLeft(control).has_value(), "the timeout stays");
    // Waits until the timeout is over: the JVM also refuses to attach the timer's thread, so the
    // timer cannot stop the recording yet.
    std::this_thread::sleep_for(std::chrono::milliseconds(1300));
    report->Expect(IsRecording(control), "it records on");
  }
  report->Expect(BecomesIdle(control), "the timer stops it in the end");
  report->Expect(!control.Stop(Options()).ok(), "and there is nothing left to stop");
  report->Expect(std::filesystem::file_size(folder.File("a.jfr")) > 0, "the recording is complete");
}

// The timeout ends while the JVM refuses to attach the timer's thread, and no command follows.
void RefuseTheTimer(JNIEnv* jni, ChildReport* report) {
  JavaVM* vm = nullptr;
  jni->GetJavaVM(&vm);
  const test::TempFolder folder;
  auto& control = *new RecordingControl;
  report->Expect(control.Connect(vm).ok(), "it connects");
  const std::string start = "start,cpu,timeout=1s,file='" + folder.File("b.jfr") + "'";
  const auto started = control.Start(ParseOptions(start).value());
  if (!started) return report->Expect(false, started.error().message());
  {
    const AttachRefusal refusal(vm);
    std::this_thread::sleep_for(std::chrono::milliseconds(1300));
    report->Expect(IsRecording(control), "it records on");
    report->Expect(TimeLeft(control) == 0, "and is to end at once");
  }
  report->Expect(BecomesIdle(control), "the timer stops it in the end");
  report->Expect(control.Start(ParseOptions(start).value()).ok(), "the next recording starts");
  report->Expect(control.Stop(Options()).ok(), "and a command stops it");
}

void RecordForACaller(JNIEnv* jni, ChildReport* report) {
  JavaVM* vm = nullptr;
  jni->GetJavaVM(&vm);
  const test::TempFolder folder;
  auto& control = *new RecordingControl;
  report->Expect(control.Connect(vm).ok(), "it connects");
  const std::string lease = folder.File(".jprof-lease-1");
  const std::string file = folder.File("c.jfr");
  const ScopedFd held(open(lease.c_str(), O_WRONLY | O_CREAT, 0600));
  report->Expect(
      flock(held.get(), LOCK_EX | LOCK_NB) == 0 && WriteAll(held.get(), file, lease).ok(),
      "there is a lease");
  const auto started =
      control.Start(ParseOptions("start,cpu,lease='" + lease + "',file='" + file + "'").value());
  if (!started) return report->Expect(false, started.error().message());
  report->Expect(IsRecording(control), "it records");
  report->Expect(!TimeLeft(control).has_value(), "it has no timeout");
  report->Expect(control.Stop(Options()).ok(), "a command stops it");
}

class RecordingControlJvmTest : public testing::TestWithParam<std::string> {};

TEST_P(RecordingControlJvmTest, AStopThatTheJvmRefusesKeepsItsTimeout) {
  EXPECT_EQ(RunInJvm(GetParam(), {"-XX:+UseSerialGC"}, RefuseAStop), "");
}

TEST_P(RecordingControlJvmTest, ATimeoutThatTheJvmRefusesEndsTheRecordingLater) {
  EXPECT_EQ(RunInJvm(GetParam(), {"-XX:+UseSerialGC"}, RefuseTheTimer), "");
}

TEST_P(RecordingControlJvmTest, ReportsNoTimeoutForARecordingWithALeaseAlone) {
  EXPECT_EQ(RunInJvm(GetParam(), {"-XX:+UseSerialGC"}, RecordForACaller), "");
}

INSTANTIATE_TEST_SUITE_P(InstalledJdks, RecordingControlJvmTest,
                         testing::ValuesIn(InstalledLibjvms()));

}  // namespace
}  // namespace jprof
