// Tests that the list of running JVMs opens no files that other users have planted.
#include "attach/jvm_list.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "attach/fake_jvm.h"

namespace jprof {
namespace {

using test::FakeJvm;

class JvmListTest : public testing::Test {
 protected:
  JvmListTest() {
    std::string pattern = testing::TempDir() + "list-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    plan_.folder = folder_;
  }
  ~JvmListTest() override { std::filesystem::remove_all(folder_); }

  // Returns the release of the JDK as the list shows it.
  static std::string JdkOf(const FakeJvm& jvm) {
    for (const JvmDescription& each : ListJvms()) {
      if (each.pid == jvm.pid()) return each.jdk;
    }
    return "not listed";
  }

  std::string folder_;
  FakeJvm::Plan plan_;
};

TEST_F(JvmListTest, ReadsTheVersionFromTheReleaseFile) {
  const FakeJvm jvm(plan_);
  std::ofstream(folder_ + "/release") << "JAVA_VERSION=\"25.0.3\"\n";
  EXPECT_EQ(JdkOf(jvm), "25.0.3");
}

TEST_F(JvmListTest, DoesNotFollowALinkInPlaceOfTheReleaseFile) {
  const FakeJvm jvm(plan_);
  std::ofstream(folder_ + "/elsewhere") << "JAVA_VERSION=\"25.0.3\"\n";
  std::filesystem::create_symlink(folder_ + "/elsewhere", folder_ + "/release");
  EXPECT_EQ(JdkOf(jvm), "");
}

TEST_F(JvmListTest, DoesNotOpenAPipeInPlaceOfTheReleaseFile) {
  const FakeJvm jvm(plan_);
  ASSERT_EQ(mkfifo((folder_ + "/release").c_str(), 0600), 0);
  EXPECT_EQ(JdkOf(jvm), "");
}

}  // namespace
}  // namespace jprof
