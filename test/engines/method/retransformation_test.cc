// Tests the reports when the JVM does not let classes be retransformed.
#include "engines/method/retransformation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace jprof {
namespace {

// FakeJvmti stands for a JVM of JDK 25. The JVM has granted the capability to retransform before,
// grants it on request, or refuses it.
class FakeJvmti {
 public:
  FakeJvmti(bool has, jvmtiError answer) {
    has_ = has;
    answer_ = answer;
    asked_ = 0;
    functions_.GetVersionNumber = [](jvmtiEnv*, jint* version) {
      *version = 25 << JVMTI_VERSION_SHIFT_MAJOR;
      return JVMTI_ERROR_NONE;
    };
    functions_.GetCapabilities = [](jvmtiEnv*, jvmtiCapabilities* capabilities) {
      capabilities->can_retransform_classes = has_ ? 1 : 0;
      return JVMTI_ERROR_NONE;
    };
    functions_.AddCapabilities = [](jvmtiEnv*, const jvmtiCapabilities* wanted) {
      asked_ += static_cast<int>(wanted->can_retransform_classes);
      return answer_;
    };
    functions_.RetransformClasses = [](jvmtiEnv*, jint count, const jclass* classes) {
      ++calls;
      if (std::find(classes, classes + count, refused) != classes + count) return answer_;
      transformed.insert(transformed.end(), classes, classes + count);
      return JVMTI_ERROR_NONE;
    };
    transformed.clear();
    calls = 0;
    env_.functions = &functions_;
  }

  jvmtiEnv* env() { return &env_; }
  static int asked() { return asked_; }

  static inline jclass refused = nullptr;
  static inline std::vector<jclass> transformed = {};
  static inline int calls = 0;

 private:
  static inline bool has_ = false;
  static inline jvmtiError answer_ = JVMTI_ERROR_NONE;
  static inline int asked_ = 0;
  jvmtiInterface_1 functions_{};
  jvmtiEnv env_{};
};

TEST(RetransformationTest, ReportsThatNoMethodCanBeTraced) {
  FakeJvmti forbidden(false, JVMTI_ERROR_NOT_AVAILABLE);
  const auto terms = AllowRetransformation(forbidden.env());
  ASSERT_FALSE(terms.ok());
  EXPECT_EQ(terms.error().message(),
            "this JVM does not let classes be retransformed (JVMTI error 98), so no method can be "
            "traced");
  EXPECT_EQ(FakeJvmti::asked(), 1);
}

TEST(RetransformationTest, RequestsTheCapabilityOnlyIfItIsMissing) {
  FakeJvmti granted(false, JVMTI_ERROR_NONE);
  EXPECT_TRUE(AllowRetransformation(granted.env()).ok());
  EXPECT_EQ(FakeJvmti::asked(), 1);
  FakeJvmti held(true, JVMTI_ERROR_NOT_AVAILABLE);
  const auto terms = AllowRetransformation(held.env());
  ASSERT_TRUE(terms.ok());
  EXPECT_FALSE(terms.value().costs_compiled_code);
  EXPECT_EQ(FakeJvmti::asked(), 0);
}

TEST(RetransformationTest, ReportsARefusedClassAndTransformsTheOthers) {
  FakeJvmti refusing(true, JVMTI_ERROR_FAILS_VERIFICATION);
  int places[3];
  std::vector<jclass> classes;
  for (int& place : places) classes.push_back(reinterpret_cast<jclass>(&place));
  FakeJvmti::refused = classes[1];
  const std::vector<RefusedClass> refused = Retransform(refusing.env(), classes);
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_EQ(refused[0].clazz, classes[1]);
  EXPECT_EQ(RefusalText(refused[0].error), "it fails verification (JVMTI error 62)");
  EXPECT_EQ(FakeJvmti::transformed, (std::vector<jclass>{classes[0], classes[2]}));
}

// The number of calls matters because every call that succeeds stops the program.
TEST(RetransformationTest, OneRefusedClassOfManyCostsAFewCalls) {
  FakeJvmti refusing(true, JVMTI_ERROR_FAILS_VERIFICATION);
  int places[1024];
  std::vector<jclass> classes;
  for (int& place : places) classes.push_back(reinterpret_cast<jclass>(&place));
  FakeJvmti::refused = classes[300];
  EXPECT_EQ(Retransform(refusing.env(), classes).size(), 1U);
  EXPECT_EQ(FakeJvmti::transformed.size(), 1023U);
  EXPECT_EQ(FakeJvmti::calls,
            21);  // one call for all classes; then, ten times, one call for each of two halves
}

}  // namespace
}  // namespace jprof
