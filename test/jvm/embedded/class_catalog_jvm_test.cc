#include <gtest/gtest.h>

#include <string>

#include "jvm/class_catalog.h"
#include "jvm/embedded/embedded_jvm.h"
#include "jvm/jvmti_ptr.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

constexpr size_t kClasses = 50;

jobject CallStatic(JNIEnv* env, const char* type, const char* name, const char* descriptor,
                   jobject first, jobject second = nullptr) {
  const jclass clazz = env->FindClass(type);
  return env->CallStaticObjectMethod(clazz, env->GetStaticMethodID(clazz, name, descriptor), first,
                                     second);
}

// A class of a loader of its own, that nobody holds once the local frame is gone.
void LoadThrowawayClass(JNIEnv* env) {
  const LocalFrame frame(env, 16);
  const jobject no_urls = env->NewObjectArray(0, env->FindClass("java/net/URL"), nullptr);
  const jobject loader = CallStatic(env, "java/net/URLClassLoader", "newInstance",
                                    "([Ljava/net/URL;)Ljava/net/URLClassLoader;", no_urls);
  const jclass runnable = env->FindClass("java/lang/Runnable");
  const jobject interfaces = env->NewObjectArray(1, env->FindClass("java/lang/Class"), runnable);
  CallStatic(env, "java/lang/reflect/Proxy", "getProxyClass",
             "(Ljava/lang/ClassLoader;[Ljava/lang/Class;)Ljava/lang/Class;", loader, interfaces);
}

void CollectGarbage(JNIEnv* env) {
  const jclass system = env->FindClass("java/lang/System");
  env->CallStaticVoidMethod(system, env->GetStaticMethodID(system, "gc", "()V"));
}

jvmtiEnv* JvmtiOf(JNIEnv* env) {
  JavaVM* vm = nullptr;
  jvmtiEnv* jvmti = nullptr;
  env->GetJavaVM(&vm);
  vm->GetEnv(reinterpret_cast<void**>(&jvmti), JVMTI_VERSION_1_2);
  return jvmti;
}

class ClassCatalogJvmTest : public testing::TestWithParam<std::string> {};

TEST_P(ClassCatalogJvmTest, AClassThatIsGoneCostsNothingAnyMore) {
  EXPECT_EQ(RunInJvm(GetParam(), {"-XX:+UseSerialGC"},
                     [](JNIEnv* env, ChildReport* report) {
                       jvmtiEnv* jvmti = JvmtiOf(env);
                       ClassCatalog catalog;
                       LoadThrowawayClass(env);  // what the first one needs stays
                       report->Expect(catalog.AddLoaded(jvmti, env).ok(), "classes are listed");
                       const size_t before = catalog.size();
                       report->Expect(before > 100, "the JVM's own classes are noted");
                       for (size_t i = 0; i < kClasses; ++i) LoadThrowawayClass(env);
                       report->Expect(catalog.AddLoaded(jvmti, env).ok(), "and again");
                       report->Expect(catalog.size() >= before + kClasses, "new ones are noted");
                       for (int i = 0; i < 3; ++i) CollectGarbage(env);
                       for (size_t i = 0; i < 2 * ClassCatalog::kSweepCalls; ++i) {
                         catalog.Expire(env, MonotonicNanos());
                       }
                       report->Expect(catalog.size() < before + kClasses / 2,
                                      std::to_string(catalog.size()) + " ranges are left of " +
                                          std::to_string(before) + " and " +
                                          std::to_string(kClasses));
                       report->Expect(catalog.size() > before / 2, "those that live stay");
                       catalog.Clear(env);
                       report->Expect(catalog.size() == 0, "at the end nothing is left");
                     }),
            "");
}

INSTANTIATE_TEST_SUITE_P(InstalledJdks, ClassCatalogJvmTest, testing::ValuesIn(InstalledLibjvms()));

}  // namespace
}  // namespace jprof
