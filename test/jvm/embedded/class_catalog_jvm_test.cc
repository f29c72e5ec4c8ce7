#include <gtest/gtest.h>

#include <string>

#include "jvm/class_catalog.h"
#include "jvm/embedded/embedded_jvm.h"
#include "jvm/embedded/throwaway_class.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

constexpr size_t kClasses = 50;

class ClassCatalogJvmTest : public testing::TestWithParam<std::string> {};

TEST_P(ClassCatalogJvmTest, AnUnloadedClassCostsNothing) {
  EXPECT_EQ(RunInJvm(GetParam(), {"-XX:+UseSerialGC"},
                     [](JNIEnv* env, ChildReport* report) {
                       jvmtiEnv* jvmti = JvmtiOf(env);
                       ClassCatalog catalog;
                       LoadThrowawayClass(env);  // classes that the first one needs stay
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

// Adds `count` new classes.
void AddClasses(ClassCatalog& catalog, JNIEnv* env, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const jclass prepared = NewThrowawayClass(env);
    catalog.Add(JvmtiOf(env), env, prepared);
    env->DeleteLocalRef(prepared);
  }
}

// Expire is not called while the recorder's thread is blocked.
TEST_P(ClassCatalogJvmTest, BoundsClassesWhileExpireIsNotCalled) {
  EXPECT_EQ(RunInJvm(GetParam(), {"-XX:+UseSerialGC"},
                     [](JNIEnv* env, ChildReport* report) {
                       constexpr size_t kMost = 10;
                       ClassCatalog catalog(kMost);
                       AddClasses(catalog, env, kMost);
                       const size_t full = catalog.size();
                       report->Expect(full >= kMost, "classes are added");
                       AddClasses(catalog, env, kClasses);
                       report->Expect(catalog.size() == full, "no more of them than the bound");
                       catalog.Expire(env, MonotonicNanos());
                       AddClasses(catalog, env, 1);
                       report->Expect(catalog.size() > full, "and more after a sweep");
                       catalog.Clear(env);
                     }),
            "");
}

// The ids of stacks that JVMTI returns. The class does not list the ids of old versions.
TEST_P(ClassCatalogJvmTest, FindsTheClassOfAMethodThatWasAdded) {
  EXPECT_EQ(RunInJvm(GetParam(), {},
                     [](JNIEnv* env, ChildReport* report) {
                       ClassCatalog catalog;
                       const jclass type = NewThrowawayClass(env);
                       jint count = 0;
                       jmethodID* methods = nullptr;
                       JvmtiOf(env)->GetClassMethods(type, &count, &methods);
                       report->Expect(count > 0, "the class has methods");
                       report->Expect(catalog.HolderOf(env, methods[0]) == nullptr, "not added");
                       catalog.AddHolderOf(JvmtiOf(env), env, methods[0]);
                       const jclass found = catalog.HolderOf(env, methods[0]);
                       report->Expect(env->IsSameObject(found, type) == JNI_TRUE, "found");
                       report->Expect(catalog.size() == 1, "one range");
                       catalog.AddHolderOf(JvmtiOf(env), env, methods[0]);
                       report->Expect(catalog.size() == 1, "still one range");
                       catalog.Clear(env);
                     }),
            "");
}

INSTANTIATE_TEST_SUITE_P(InstalledJdks, ClassCatalogJvmTest, testing::ValuesIn(InstalledLibjvms()));

}  // namespace
}  // namespace jprof
