// Compares NativeCursor with libunwind in libjvm. Signals interrupt the threads of a JVM that
// compiles, collects garbage and loads classes.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "jvm/embedded/embedded_jvm.h"
#include "oracle/interrupted_point.h"
#include "oracle/libunwind_oracle.h"
#include "oracle/points_wanted.h"
#include "unwind/unwind_publisher.h"

namespace jprof::test {
namespace {

constexpr int kPointsALook = 2;  // few, so that little time is spent on a thread that becomes idle

// About 0.5 % of the points lie in code without unwind information, where NativeCursor guesses.
constexpr size_t kLeastPointsForAGuess = 20;

struct Sampled {
  Tid tid;
  StackBounds bounds;
};

// Returns the bounds of the mapping that contains `address`. The mapping of a thread's stack ends
// where the stack ends, or at a higher address.
StackBounds MappingOf(uint64_t address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    StackBounds bounds;
    char dash = 0;
    std::istringstream(line) >> std::hex >> bounds.low >> dash >> bounds.high;
    if (bounds.low <= address && address < bounds.high) return bounds;
  }
  return {};
}

// True for threads that run the JVM's own C++ code and no Java code.
bool IsNativeThread(const std::string& name) {
  for (const char* prefix : {"C1 Comp", "C2 Comp", "GC Thread", "G1 ", "VM Thread"}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

bool IsRunning(const std::filesystem::path& task) {
  std::string line;
  std::getline(std::ifstream(task / "stat"), line);
  return line.substr(line.rfind(')') + 1).starts_with(" R");
}

std::vector<Sampled> RunningNativeThreads() {
  std::vector<Sampled> threads;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    if (!IsNativeThread(name) || !IsRunning(task.path())) continue;
    const Tid tid{std::stoi(task.path().filename())};
    const InterruptedPoint* point = Interrupt(tid, {});
    if (point == nullptr) continue;
    threads.push_back({tid, MappingOf(point->frames[0].sp)});
  }
  return threads;
}

// Gives work to the JVM's compilers and collector: calls methods that are not compiled yet again
// and again, and allocates arrays.
void KeepBusy(JavaVM* vm, const std::atomic<bool>& stop) {
  JNIEnv* env = nullptr;
  vm->AttachCurrentThread(reinterpret_cast<void**>(&env), nullptr);
  jclass patterns = env->FindClass("java/util/regex/Pattern");
  jmethodID matches =
      env->GetStaticMethodID(patterns, "matches", "(Ljava/lang/String;Ljava/lang/CharSequence;)Z");
  jclass strings = env->FindClass("java/lang/String");
  jmethodID format = env->GetStaticMethodID(
      strings, "format", "(Ljava/lang/String;[Ljava/lang/Object;)Ljava/lang/String;");
  jclass objects = env->FindClass("java/lang/Object");
  while (!stop && !env->ExceptionCheck()) {
    env->PushLocalFrame(64);
    env->CallStaticBooleanMethod(patterns, matches, env->NewStringUTF("(a|b)*c+[0-9]{2,3}\\p{L}?"),
                                 env->NewStringUTF("ababccc123x"));
    jobjectArray arguments = env->NewObjectArray(1, objects, env->NewStringUTF("text"));
    env->CallStaticObjectMethod(strings, format, env->NewStringUTF("%-20s|%1$10s"), arguments);
    env->NewObjectArray(100000, objects, nullptr);
    env->PopLocalFrame(nullptr);
  }
  vm->DetachCurrentThread();
}

class JvmOracleTest : public testing::TestWithParam<std::string> {};

TEST_P(JvmOracleTest, AgreesInLibjvm) {
  const auto body = [](JNIEnv* env, ChildReport* report) {
    JavaVM* vm = nullptr;
    env->GetJavaVM(&vm);
    std::atomic<bool> stop{false};
    std::thread busy(KeepBusy, vm, std::cref(stop));
    UnwindPublisher::Update();
    Agreement agreement;
    {
      LibunwindOracle oracle;
      while (agreement.points < PointsWanted()) {
        for (const Sampled& thread : RunningNativeThreads()) {
          for (int i = 0; i < kPointsALook; ++i) {
            const InterruptedPoint* point = Interrupt(thread.tid, thread.bounds);
            if (point != nullptr) oracle.Compare(*point, &agreement);
          }
        }
      }
    }
    stop = true;
    busy.join();
    printf("%s", agreement.Text().c_str());
    fflush(stdout);
    // SpinPause, and the stubs that the JVM generates for itself, have no unwind information.
    size_t guessed = 0;
    for (const auto& [place, count] : agreement.guesses) guessed += count;
    report->Expect(agreement.agreed + agreement.known_faults + guessed == agreement.points,
                   agreement.Text());
    report->Expect(guessed * kLeastPointsForAGuess <= agreement.points, "guessed too often");
    report->Expect(agreement.rooted == agreement.points, "not all are rooted");
  };
  EXPECT_EQ(RunInJvm(GetParam(), {"-Xcomp", "-Xmx64m"}, body), "");
}

INSTANTIATE_TEST_SUITE_P(InstalledJdks, JvmOracleTest, testing::ValuesIn(InstalledLibjvms()));

}  // namespace
}  // namespace jprof::test
