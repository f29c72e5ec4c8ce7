#include "jvm/jvm_information.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jprof {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(JvmPartOfTest, EndsBeforeTheMainClassAndSkipsValuesOfOptions) {
  EXPECT_THAT(JvmPartOf({"java", "-Xmx2G", "-cp", "a:b", "-Dx=y", "Main", "-Dz"}),
              ElementsAre("-Xmx2G", "-cp", "a:b", "-Dx=y"));
}

TEST(JvmPartOfTest, EndsBeforeJarAndModule) {
  EXPECT_THAT(JvmPartOf({"java", "-Xint", "-jar", "x.jar"}), ElementsAre("-Xint"));
  EXPECT_THAT(JvmPartOf({"java", "@options", "--module", "m/c"}), ElementsAre("@options"));
}

TEST(JvmPartOfTest, DegenerateCommandLinesGiveWhatThereIs) {
  EXPECT_THAT(JvmPartOf({}), IsEmpty());
  EXPECT_THAT(JvmPartOf({"java"}), IsEmpty());
  EXPECT_THAT(JvmPartOf({"java", "-cp"}), ElementsAre("-cp"));
}

}  // namespace
}  // namespace jprof
