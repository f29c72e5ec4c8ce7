#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "jvm/embedded/embedded_jvm.h"
#include "jvm/embedded/throwaway_class.h"
#include "jvm/jvmti_ptr.h"
#include "jvm/short_lived_methods.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

constexpr size_t kMaxBytes = 64 << 10;
constexpr size_t kShortLived = 200;

// Adds the methods of a new class. Returns one of them.
jmethodID AddClass(JNIEnv* env, ShortLivedMethods& methods) {
  jvmtiEnv* jvmti = JvmtiOf(env);
  const jclass prepared = NewThrowawayClass(env);
  jint count = 0;
  JvmtiPtr<jmethodID> ids(jvmti);
  jvmti->GetClassMethods(prepared, &count, ids.out());
  methods.Add(jvmti, env, prepared, {ids.get(), ids.get() + count});
  return ids[0];
}

// Adds classes without a call of Expire, which is not called while the recorder's thread is
// blocked.
void AddWithoutEnd(JNIEnv* env, ChildReport* report) {
  ShortLivedMethods methods(kMaxBytes);
  const jmethodID first = AddClass(env, methods);
  const size_t bytes_of_one = methods.bytes();
  report->Expect(bytes_of_one > 0, "a class costs memory");
  report->Expect(bytes_of_one * kShortLived > 2 * kMaxBytes, "all classes together do not fit");
  report->Expect(methods.Find(first).has_value(), "its methods have names");
  jmethodID last = first;
  for (size_t i = 1; i < kShortLived; ++i) {
    last = AddClass(env, methods);
    report->Expect(methods.bytes() <= kMaxBytes, std::to_string(methods.bytes()) + " bytes");
  }
  report->Expect(methods.bytes() > kMaxBytes / 2, "no more is dropped than has to be");
  report->Expect(methods.Find(last).has_value(), "the newest class has its names");
  report->Expect(!methods.Find(first), "the oldest has lost them");
  methods.Expire(MonotonicNanos() + 2 * kNanosPerSecond);
  report->Expect(methods.bytes() == 0, "names are dropped when their time is over");
  report->Expect(!methods.Find(last), "all of them");
}

class ShortLivedMethodsJvmTest : public testing::TestWithParam<std::string> {};

TEST_P(ShortLivedMethodsJvmTest, BoundsNamesWhileExpireIsNotCalled) {
  EXPECT_EQ(RunInJvm(GetParam(), {"-XX:+UseSerialGC"}, AddWithoutEnd), "");
}

INSTANTIATE_TEST_SUITE_P(InstalledJdks, ShortLivedMethodsJvmTest,
                         testing::ValuesIn(InstalledLibjvms()));

}  // namespace
}  // namespace jprof
