#include "engines/validate/probed_methods.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace jprof {
namespace {

TracedMethod MethodOfA(const std::string& name) {
  auto declaring = std::make_shared<ClassInfo>();
  declaring->name = "A";
  return {.declaring = declaring, .name = name, .descriptor = "()V"};
}

// Until an id is known, a right stack has frames without a number, and is not to be judged.
TEST(ProbedMethodsTest, AMethodHasAnIdOfEachKindOnlyAfterItWasLearnt) {
  ProbedMethods methods;
  const uint32_t one = *methods.Add(MethodOfA("one"));
  const uint32_t other = *methods.Add(MethodOfA("other"));
  auto* const reported = reinterpret_cast<jmethodID>(16);
  EXPECT_FALSE(methods.HasId(one));
  EXPECT_FALSE(methods.HasJmethodId(one));
  methods.Learn(one, uint64_t{77});
  EXPECT_TRUE(methods.HasId(one));
  EXPECT_FALSE(methods.HasJmethodId(one));
  EXPECT_EQ(methods.NumberOf(uint64_t{77}), one);
  methods.Learn(one, reported);
  EXPECT_TRUE(methods.HasJmethodId(one));
  EXPECT_EQ(methods.NumberOf(reported), one);
  EXPECT_FALSE(methods.HasId(other));
  EXPECT_FALSE(methods.HasId(other + 1)) << "no such method";
}

}  // namespace
}  // namespace jprof
