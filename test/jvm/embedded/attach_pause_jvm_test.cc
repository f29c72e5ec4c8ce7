#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "jvm/attach_pause.h"
#include "jvm/embedded/embedded_jvm.h"
#include "jvm/vm_structs.h"
#include "os/task_list.h"
#include "sigsafe/os/thread_id.h"

namespace jprof {
namespace {

// True if the thread sleeps, or if the kernel does not report system calls.
bool Naps(Tid tid) {
  const std::string call = TaskSyscall(tid);
  return call.empty() || call.starts_with(std::to_string(SYS_nanosleep) + ' ') ||
         call.starts_with(std::to_string(SYS_clock_nanosleep) + ' ');
}

// A thread that attaches once and detaches.
class Visitor {
 public:
  explicit Visitor(JavaVM* vm) : thread_([this, vm] { Visit(vm); }) {}
  ~Visitor() { Join(); }

  void AwaitNap() const {
    while (tid_.load() == 0 || !Naps(Tid{tid_.load()})) usleep(100);
  }
  bool entered() const { return entered_.load(); }
  void Join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  void Visit(JavaVM* vm) {
    tid_.store(Value(CurrentTid()));
    void* env = nullptr;
    entered_.store(vm->AttachCurrentThread(&env, nullptr) == JNI_OK);
    vm->DetachCurrentThread();
  }

  std::atomic<int32_t> tid_{0};
  std::atomic<bool> entered_{false};
  std::thread thread_;
};

bool HasVirtualThreads() {
  const Result<VmStructs> structs = LoadVmStructs();
  return structs && structs.value().fields.thread_current.has_value();
}

class AttachPauseJvmTest : public testing::TestWithParam<std::string> {};

TEST_P(AttachPauseJvmTest, OnlyUnattachedThreadsWaitForThePause) {
  EXPECT_EQ(RunInJvm(GetParam(), {},
                     [](JNIEnv* env, ChildReport* report) {
                       if (!HasVirtualThreads()) return;
                       JavaVM* vm = nullptr;
                       env->GetJavaVM(&vm);
                       auto pause = std::make_unique<AttachPause>(vm);
                       Visitor visitor(vm);
                       visitor.AwaitNap();
                       void* again = nullptr;
                       report->Expect(vm->AttachCurrentThread(&again, nullptr) == JNI_OK,
                                      "an attached thread was refused");
                       report->Expect(again == env, "an attached thread has another JNIEnv");
                       report->Expect(!visitor.entered(), "a thread entered in a pause");
                       pause.reset();
                       visitor.Join();
                       report->Expect(visitor.entered(), "a thread could not enter");
                     }),
            "");
}

TEST_P(AttachPauseJvmTest, TheJvmHasItsOwnFunctionsAfterwards) {
  EXPECT_EQ(RunInJvm(GetParam(), {},
                     [](JNIEnv* env, ChildReport* report) {
                       JavaVM* vm = nullptr;
                       env->GetJavaVM(&vm);
                       const auto* const functions = vm->functions;
                       for (int i = 0; i < 2; ++i) {
                         const AttachPause pause(vm);
                         report->Expect((vm->functions != functions) == HasVirtualThreads(),
                                        "the functions are not those that this JVM needs");
                       }
                       report->Expect(vm->functions == functions, "the functions are others");
                     }),
            "");
}

TEST_P(AttachPauseJvmTest, KeepsATableThatReplacedOurs) {
  EXPECT_EQ(RunInJvm(GetParam(), {},
                     [](JNIEnv* env, ChildReport* report) {
                       JavaVM* vm = nullptr;
                       env->GetJavaVM(&vm);
                       static JNIInvokeInterface_ theirs;
                       {
                         const AttachPause pause(vm);
                         theirs = *vm->functions;
                         vm->functions = &theirs;
                       }
                       report->Expect(vm->functions == &theirs, "theirs was taken away");
                       Visitor visitor(vm);
                       visitor.Join();
                       report->Expect(visitor.entered(), "a thread could not enter through it");
                     }),
            "");
}

INSTANTIATE_TEST_SUITE_P(InstalledJdks, AttachPauseJvmTest, testing::ValuesIn(InstalledLibjvms()));

}  // namespace
}  // namespace jprof
