#include <gtest/gtest.h>

#include <string>

#include "jvm/embedded/embedded_jvm.h"
#include "jvm/sampled_classes.h"

namespace jprof {
namespace {

struct Names {
  explicit Names(JNIEnv* env) : jni(env) {
    JavaVM* vm = nullptr;
    jni->GetJavaVM(&vm);
    vm->GetEnv(reinterpret_cast<void**>(&jvmti), JVMTI_VERSION_1_2);
  }

  uint32_t NumberOf(const char* name) { return classes.NumberOf(jvmti, jni, jni->FindClass(name)); }
  std::string NameOf(uint32_t number) {
    const std::shared_ptr<const ClassInfo> info = classes.Find(number);
    return info == nullptr ? "forgotten" : info->name;
  }

  JNIEnv* const jni;
  jvmtiEnv* jvmti = nullptr;
  ClassCatalog ids;
  SampledClasses classes{ids};
};

void NumberClasses(JNIEnv* jni, ChildReport* report) {
  Names names(jni);
  const uint32_t string = names.NumberOf("java/lang/String");
  const uint32_t bytes = names.NumberOf("[B");
  report->Expect(string != 0 && bytes != 0, "0 is no class");
  report->Expect(string != bytes, "two classes have two numbers");
  report->Expect(names.NumberOf("java/lang/String") == string, "a class has one number");
  report->Expect(names.NameOf(string) == "java/lang/String", names.NameOf(string));
  report->Expect(names.NameOf(bytes) == "[B", names.NameOf(bytes));
  report->Expect(names.NameOf(bytes + 1) == "forgotten", "others are not known");
}

void ForgetClasses(JNIEnv* jni, ChildReport* report) {
  Names names(jni);
  const uint32_t string = names.NumberOf("java/lang/String");
  const uint32_t bytes = names.NumberOf("[B");
  for (int generation = 0; generation < 3; ++generation) {
    names.classes.BeginGeneration();
    report->Expect(names.NumberOf("java/lang/String") == string, "a class in use keeps its number");
  }
  report->Expect(names.NameOf(string) == "java/lang/String", "and its name");
  report->Expect(names.NameOf(bytes) == "forgotten", "one that is not is forgotten");
  report->Expect(names.classes.size() == 1, "without a trace");
  names.classes.BeginGeneration();
  report->Expect(names.NameOf(string) == "java/lang/String", "a sample may be a generation late");
  const uint32_t again = names.NumberOf("[B");
  report->Expect(again != bytes && again != string, "numbers are not used again");
  report->Expect(names.NameOf(again) == "[B", names.NameOf(again));
}

class SampledClassesJvmTest : public testing::TestWithParam<std::string> {};

TEST_P(SampledClassesJvmTest, AClassIsFoundByItsNumber) {
  EXPECT_EQ(RunInJvm(GetParam(), {"-XX:+UseSerialGC"}, NumberClasses), "");
}

TEST_P(SampledClassesJvmTest, ForgetsClassesThatNoSampleNames) {
  EXPECT_EQ(RunInJvm(GetParam(), {"-XX:+UseSerialGC"}, ForgetClasses), "");
}

INSTANTIATE_TEST_SUITE_P(InstalledJdks, SampledClassesJvmTest,
                         testing::ValuesIn(InstalledLibjvms()));

}  // namespace
}  // namespace jprof
