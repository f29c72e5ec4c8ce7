#include "jvm/jvm_information.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jprof {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(JvmArgumentsInTest, EndsBeforeTheMainClassAndSkipsValuesOfOptions) {
  EXPECT_THAT(JvmArgumentsIn({"java", "-Xmx2G", "-cp", "a:b", "-Dx=y", "Main", "-Dz"}),
              ElementsAre("-Xmx2G", "-cp", "a:b", "-Dx=y"));
}

TEST(JvmArgumentsInTest, EndsBeforeJarAndModule) {
  EXPECT_THAT(JvmArgumentsIn({"java", "-Xint", "-jar", "x.jar"}), ElementsAre("-Xint"));
  EXPECT_THAT(JvmArgumentsIn({"java", "@options", "--module", "m/c"}), ElementsAre("@options"));
}

TEST(JvmArgumentsInTest, AcceptsDegenerateCommandLines) {
  EXPECT_THAT(JvmArgumentsIn({}), IsEmpty());
  EXPECT_THAT(JvmArgumentsIn({"java"}), IsEmpty());
  EXPECT_THAT(JvmArgumentsIn({"java", "-cp"}), ElementsAre("-cp"));
}

}  // namespace
}  // namespace jprof
