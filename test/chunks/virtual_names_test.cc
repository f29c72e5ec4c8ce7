#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "chunks/thread_constants.h"

namespace jprof {
namespace {

class VirtualNamesTest : public testing::Test {
 protected:
  void Publish(int64_t id, const void* bytes, size_t size, bool utf16) {
    ThreadNameBytes name{};
    name.size = static_cast<uint8_t>(size);
    name.utf16 = utf16;
    memcpy(name.bytes, bytes, size);
    published_.Publish(id, name);
  }
  void Publish(int64_t id, const std::string& latin1) {
    Publish(id, latin1.data(), latin1.size(), false);
  }

  std::vector<int64_t> memory_ =
      std::vector<int64_t>(VirtualThreadNames::kRegionSize / sizeof(int64_t));
  VirtualThreadNames published_{{memory_.data(), VirtualThreadNames::kRegionSize}};
  VirtualNames names_{published_};
};

TEST_F(VirtualNamesTest, FindsNamesPublishedBeforeOrDuringTheDrain) {
  Publish(1, "before");
  names_.BeginDrain();
  Publish(2, "during");
  EXPECT_EQ(names_.NameOf(1), "before");
  EXPECT_EQ(names_.NameOf(2), "during");
  EXPECT_EQ(names_.NameOf(3), "");
}

TEST_F(VirtualNamesTest, BothEncodingsOfTheHeapBecomeUtf8) {
  Publish(1, std::string("f\xe4") + "dchen");
  const char16_t wide[] = u"\u7dd2\U0001f600!";
  Publish(2, wide, sizeof wide - sizeof wide[0], true);
  EXPECT_EQ(names_.NameOf(1), "f\u00e4dchen");
  EXPECT_EQ(names_.NameOf(2), "\u7dd2\U0001f600!");
}

TEST_F(VirtualNamesTest, ForgetsAnUnusedNameAfterTheNextChunk) {
  Publish(1, "asked for");
  Publish(2, "not asked for");
  names_.BeginDrain();
  for (int chunk = 0; chunk < 3; ++chunk) {
    names_.BeginChunk();
    EXPECT_EQ(names_.NameOf(1), "asked for") << chunk;
  }
  EXPECT_EQ(names_.NameOf(2), "");
}

TEST_F(VirtualNamesTest, ANewNameReplacesTheOldOne) {
  Publish(1, "old");
  EXPECT_EQ(names_.NameOf(1), "old");
  names_.BeginChunk();
  Publish(1, "new");
  names_.BeginDrain();
  EXPECT_EQ(names_.NameOf(1), "new");
}

}  // namespace
}  // namespace jprof
