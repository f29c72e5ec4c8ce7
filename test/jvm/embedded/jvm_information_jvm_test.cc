#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "jvm/embedded/embedded_jvm.h"
#include "jvm/jvm_information.h"

namespace jprof {
namespace {

jvmtiEnv* Jvmti(JNIEnv* env) {
  JavaVM* vm = nullptr;
  env->GetJavaVM(&vm);
  void* jvmti = nullptr;
  vm->GetEnv(&jvmti, JVMTI_VERSION_11);
  return static_cast<jvmtiEnv*>(jvmti);
}

class JvmInformationJvmTest : public testing::TestWithParam<std::string> {};

TEST_P(JvmInformationJvmTest, ReturnsNameVersionAndRedactedArguments) {
  const auto body = [](JNIEnv* env, ChildReport* report) {
    const Result<VmStructs> loaded = LoadVmStructs();
    if (!loaded.ok()) return report->Expect(false, loaded.error().message());
    const JvmInformation info = ReadJvmInformation(Jvmti(env), loaded.value().statics);
    report->Expect(info.jvm_name.find("VM") != std::string::npos, "name: " + info.jvm_name);
    report->Expect(info.jvm_version.find(" JRE (") != std::string::npos &&
                       info.jvm_version.find("built on") != std::string::npos,
                   "version: " + info.jvm_version);
    report->Expect(info.jvm_arguments == "-Xmx64m -Dmy.password=[REDACTED]",
                   "arguments: " + info.jvm_arguments);
    report->Expect(info.pid == getpid(), "pid");
    report->Expect(info.start_epoch_ms > 0, "start");
  };
  EXPECT_EQ(RunInJvm(GetParam(), {"-Xmx64m", "-Dmy.password=hunter2"}, body), "");
}

TEST_P(JvmInformationJvmTest, AJvmWithoutExportedFieldsHasAParsableVersion) {
  const auto body = [](JNIEnv* env, ChildReport* report) {
    const JvmInformation info = ReadJvmInformation(Jvmti(env), VmStatics());
    report->Expect(info.jvm_version.find(" JRE (") != std::string::npos &&
                       info.jvm_version.find(" JRE ()") == std::string::npos,
                   "version: " + info.jvm_version);
  };
  EXPECT_EQ(RunInJvm(GetParam(), {}, body), "");
}

TEST_P(JvmInformationJvmTest, PropertiesAreRedactedAndValidUtf8) {
  const auto body = [](JNIEnv* env, ChildReport* report) {
    const auto properties = ReadSystemProperties(Jvmti(env));
    const auto value = [&](const std::string& key) {
      const auto found = std::ranges::find(properties, key, [](const auto& p) { return p.first; });
      return found != properties.end() ? found->second : std::string("(absent)");
    };
    report->Expect(value("my.token") == "[REDACTED]", "my.token: " + value("my.token"));
    report->Expect(value("my.plain") == "x y", "my.plain: " + value("my.plain"));
    report->Expect(value("my.utf8") == "gr\u00fc\u00df \U0001F600", "my.utf8: " + value("my.utf8"));
    report->Expect(value("my.broken") == "\uFFFD", "my.broken: " + value("my.broken"));
    report->Expect(value("java.vm.name").find("VM") != std::string::npos, "java.vm.name");
  };
  EXPECT_EQ(RunInJvm(GetParam(),
                     {"-Dmy.token=hunter2", "-Dmy.plain=x y", "-Dmy.utf8=gr\u00fc\u00df \U0001F600",
                      "-Dmy.broken=\xFF"},
                     body),
            "");
}

INSTANTIATE_TEST_SUITE_P(InstalledJdks, JvmInformationJvmTest,
                         testing::ValuesIn(InstalledLibjvms()));

}  // namespace
}  // namespace jprof
