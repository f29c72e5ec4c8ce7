#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "jvm/embedded/embedded_jvm.h"
#include "jvm/vm_structs.h"

namespace jprof {
namespace {

const void* JavaThreadOfCurrentThread(JNIEnv* env) {
  jclass type = env->FindClass("java/lang/Thread");
  jmethodID current = env->GetStaticMethodID(type, "currentThread", "()Ljava/lang/Thread;");
  jobject thread = env->CallStaticObjectMethod(type, current);
  const jlong address = env->GetLongField(thread, env->GetFieldID(type, "eetop", "J"));
  return reinterpret_cast<const void*>(address);
}

class VmStructsJvmTest : public testing::TestWithParam<std::string> {};

TEST_P(VmStructsJvmTest, TheThreadIdOfTheCurrentJavaThreadIsTheKernels) {
  EXPECT_EQ(RunInJvm(GetParam(), {},
                     [](JNIEnv* env, ChildReport* report) {
                       const Result<VmStructs> loaded = LoadVmStructs();
                       if (!loaded.ok()) return report->Expect(false, loaded.error().message());
                       const void* thread = JavaThreadOfCurrentThread(env);
                       report->Expect(loaded.value().layout.ThreadIdOf(thread) == Tid{gettid()},
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

INSTANTIATE_TEST_SUITE_P(InstalledJdks, VmStructsJvmTest, testing::ValuesIn(InstalledLibjvms()));

}  // namespace
}  // namespace jprof
