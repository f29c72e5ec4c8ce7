#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "jvm/embedded/embedded_jvm.h"
#include "jvm/hidden_variables.h"
#include "jvm/hotspot_layout_reader.h"
#include "jvm/jvm_information.h"
#include "jvm/object_fields.h"
#include "jvm/vm_structs.h"
#include "sigsafe/hotspot/java_thread.h"

namespace jprof {
namespace {

uint64_t JavaThreadOfCurrentThread(JNIEnv* env) {
  jclass type = env->FindClass("java/lang/Thread");
  jmethodID current = env->GetStaticMethodID(type, "currentThread", "()Ljava/lang/Thread;");
  jobject thread = env->CallStaticObjectMethod(type, current);
  const jlong address = env->GetLongField(thread, env->GetFieldID(type, "eetop", "J"));
  return static_cast<uint64_t>(address);
}

class VmStructsJvmTest : public testing::TestWithParam<std::string> {};

TEST_P(VmStructsJvmTest, TheCurrentJavaThreadHasTheKernelsThreadId) {
  EXPECT_EQ(RunInJvm(GetParam(), {},
                     [](JNIEnv* env, ChildReport* report) {
                       const Result<VmStructs> loaded = LoadVmStructs();
                       if (!loaded.ok()) return report->Expect(false, loaded.error().message());
                       const uint64_t thread = JavaThreadOfCurrentThread(env);
                       const HotspotLayout layout = ReadJavaThreadLayout(loaded.value());
                       report->Expect(SafeThreadIdOf(layout, thread) == Tid{gettid()},
                                      "ThreadIdOf differs from gettid()");
                     }),
            "");
}

TEST_P(VmStructsJvmTest, EveryFieldOfTheTableIsExported) {
  EXPECT_EQ(RunInJvm(GetParam(), {},
                     [](JNIEnv*, ChildReport* report) {
                       const Result<VmStructs> loaded = LoadVmStructs();
                       if (!loaded.ok()) return report->Expect(false, loaded.error().message());
                       for (const std::string& sentence : loaded.value().missing) {
                         report->Expect(false, sentence);
                       }
                     }),
            "");
}

// JDK 21 to 24 have the same code at the return barrier as later releases, but do not export the
// two places in HiddenContinuation.
TEST_P(VmStructsJvmTest, TheContinuationThatIsFoundIsTheOneThatTheJvmExports) {
  constexpr int kJni21 = 0x00150000;
  EXPECT_EQ(
      RunInJvm(
          GetParam(), {},
          [](JNIEnv* env, ChildReport* report) {
            if (env->GetVersion() < kJni21) return;
            const Result<VmStructs> loaded = LoadVmStructs();
            if (!loaded.ok()) return report->Expect(false, loaded.error().message());
            const VmStructs& structs = loaded.value();
            const auto found = HiddenVariables::Find().Continuation(
                ReadHotspot(structs, 0, kFirstJdkWithVirtualThreads, ObjectFields(env)).layout);
            if (!found) return report->Expect(false, "nothing was found");
            const VmField& entry = structs.fields.thread_continuation;
            if (!entry.exists()) return;
            report->Expect(found->entry_offset == entry.offset, "the offset differs");
            report->Expect(found->return_pc == structs.statics.continuation_return,
                           "the place of the return address differs");
          }),
      "");
}

INSTANTIATE_TEST_SUITE_P(InstalledJdks, VmStructsJvmTest, testing::ValuesIn(InstalledLibjvms()));

}  // namespace
}  // namespace jprof
