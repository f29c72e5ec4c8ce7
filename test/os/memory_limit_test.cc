// Tests of the memory limits of cgroups, on trees that the test makes.
#include "os/memory_limit.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace jprof {
namespace {

class MemoryLimitTest : public testing::Test {
 protected:
  MemoryLimitTest() {
    std::string pattern = testing::TempDir() + "limit-XXXXXX";
    root_ = mkdtemp(pattern.data());
  }
  ~MemoryLimitTest() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  std::string root_;
};

TEST_F(MemoryLimitTest, IsTheSmallestOfACgroupAndItsParents) {
  Write("/pods/app/memory.max", "max\n");
  Write("/pods/memory.max", "1073741824\n");
  Write("/memory.max", "4294967296\n");
  EXPECT_EQ(CgroupMemoryLimit("0::/pods/app\n", root_), 1073741824u);
  EXPECT_EQ(CgroupMemoryLimit("0::/\n", root_), 4294967296u);
}

TEST_F(MemoryLimitTest, IsInTheRootIfThePathIsOneOfTheHost) {
  Write("/memory/memory.limit_in_bytes", "536870912\n");
  EXPECT_EQ(CgroupMemoryLimit("9:cpu:/\n8:hugetlb,memory:/docker/c0ffee\n0::/\n", root_),
            536870912u);
}

TEST_F(MemoryLimitTest, IsUnknownWithoutALimit) {
  Write("/pods/memory.max", "max\n");
  EXPECT_EQ(CgroupMemoryLimit("0::/pods\n", root_), std::nullopt);
  for (const char* text : {"", "0", "0:", "::", "0::pods", "0::/../pods", "1:cpu:/pods"}) {
    EXPECT_EQ(CgroupMemoryLimit(text, root_), std::nullopt) << text;
  }
}

TEST_F(MemoryLimitTest, TheMachineHasAtLeastAsMuch) {
  const auto machine =
      static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  EXPECT_GT(UsableMemoryBytes(), 0u);
  EXPECT_LE(UsableMemoryBytes(), machine);
}

}  // namespace
}  // namespace jprof
