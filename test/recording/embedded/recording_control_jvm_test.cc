#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <thread>

#include "jvm/embedded/embedded_jvm.h"
#include "recording/recording_control.h"
#include "sigsafe/os/clock.h"
#include "support/temp_folder.h"

namespace jprof {
namespace {

bool IsIdleInTheEnd(RecordingControl& control) {
  const Nanos deadline_ns = MonotonicNanos() + 60 * kNanosPerSecond;
  while (control.CurrentStatus().text.find("recording") != std::string::npos) {
    if (MonotonicNanos() > deadline_ns) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

// "in 0.7 s", "when told to": the line of status about the end of the recording.
std::string EndOf(RecordingControl& control) {
  const std::string status = control.CurrentStatus().text;
  const size_t key = status.find("\nstops ");
  if (key == std::string::npos) return "";
  const size_t value = status.find_first_not_of(' ', key + sizeof "stops");
  return status.substr(value, status.find('\n', value) - value);
}

// While this lives no thread can attach to the JVM.
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
    report->Expect(EndOf(control).starts_with("in "), "the timeout stays: " + EndOf(control));
    // Beyond the timeout: the timer's own stop is refused as well.
    std::this_thread::sleep_for(std::chrono::milliseconds(1300));
    report->Expect(control.CurrentStatus().text.find("recording") != std::string::npos,
                   "it records on");
  }
  report->Expect(IsIdleInTheEnd(control), "the timer stops it in the end");
  report->Expect(!control.Stop(Options()).ok(), "and there is nothing left to stop");
  report->Expect(std::filesystem::file_size(folder.File("a.jfr")) > 0, "the recording is complete");
}

// The end of the timeout comes while the JVM refuses, and no command comes afterwards.
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
    report->Expect(control.CurrentStatus().text.find("recording") != std::string::npos,
                   "it records on");
    report->Expect(EndOf(control) == "in 0.0 s", "and is to end at once: " + EndOf(control));
  }
  report->Expect(IsIdleInTheEnd(control), "the timer stops it in the end");
  report->Expect(control.Start(ParseOptions(start).value()).ok(), "the next recording starts");
  report->Expect(control.Stop(Options()).ok(), "and a command stops it");
}

class RecordingControlJvmTest : public testing::TestWithParam<std::string> {};

TEST_P(RecordingControlJvmTest, AStopThatTheJvmRefusesKeepsItsTimeout) {
  EXPECT_EQ(RunInJvm(GetParam(), {"-XX:+UseSerialGC"}, RefuseAStop), "");
}

TEST_P(RecordingControlJvmTest, ATimeoutThatTheJvmRefusesEndsTheRecordingLater) {
  EXPECT_EQ(RunInJvm(GetParam(), {"-XX:+UseSerialGC"}, RefuseTheTimer), "");
}

INSTANTIATE_TEST_SUITE_P(InstalledJdks, RecordingControlJvmTest,
                         testing::ValuesIn(InstalledLibjvms()));

}  // namespace
}  // namespace jprof
