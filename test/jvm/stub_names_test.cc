#include "jvm/stub_names.h"

#include <gtest/gtest.h>

namespace jprof {
namespace {

TEST(StubNamesTest, ANameIsValidUntilOtherCodeTakesItsAddresses) {
  StubNames stubs;
  stubs.Add(0x1000, 0x100, "first", 10);
  stubs.Add(0x1000, 0x80, "second", 20);
  EXPECT_EQ(stubs.Find(0x1010, 0).name, "first");
  EXPECT_EQ(stubs.Find(0x1010, 19).name, "first");
  EXPECT_EQ(stubs.Find(0x1010, 20).name, "second");
  EXPECT_EQ(stubs.Find(0x1090, 19).name, "first");
  EXPECT_EQ(stubs.Find(0x1090, 20).name, "") << "the first is gone as a whole";
  EXPECT_NE(stubs.Find(0x1010, 19).id, stubs.Find(0x1010, 20).id);
}

TEST(StubNamesTest, OverlappingCodeReplacesEarlierCode) {
  StubNames stubs;
  stubs.Add(0x1000, 0x100, "low", 10);
  stubs.Add(0x1100, 0x100, "high", 10);
  stubs.Add(0x1080, 0x100, "middle", 20);
  EXPECT_EQ(stubs.Find(0x1010, 30).name, "");
  EXPECT_EQ(stubs.Find(0x1090, 30).name, "middle");
  EXPECT_EQ(stubs.Find(0x1110, 30).name, "middle");
  EXPECT_EQ(stubs.Find(0x1190, 30).name, "");
  EXPECT_EQ(stubs.Find(0x1010, 15).name, "low");
  EXPECT_EQ(stubs.Find(0x1190, 15).name, "high");
}

TEST(StubNamesTest, CodeThatIsReportedTwiceKeepsItsId) {
  StubNames stubs;
  stubs.Add(0x1000, 0x100, "stub", 10);
  const StubName once = stubs.Find(0x1000, 30);
  stubs.Add(0x1000, 0x100, "stub", 20);
  EXPECT_EQ(stubs.Find(0x1000, 15).id, once.id);
  EXPECT_EQ(stubs.Find(0x1000, 30).id, once.id);
  EXPECT_EQ(stubs.EraAt(0), stubs.EraAt(30));
}

TEST(StubNamesTest, AnEraEndsWithEachReplacement) {
  StubNames stubs;
  stubs.Add(0x1000, 0x100, "first", 10);
  stubs.Add(0x2000, 0x100, "elsewhere", 15);
  stubs.Add(0x1000, 0x80, "second", 20);
  EXPECT_EQ(stubs.EraAt(10), stubs.EraAt(19));
  EXPECT_NE(stubs.EraAt(19), stubs.EraAt(20));
  EXPECT_EQ(stubs.EraAt(20), stubs.EraAt(1000));
}

TEST(StubNamesTest, ForgetsTheOldestReplacedNames) {
  StubNames stubs;
  for (size_t i = 0; i < StubNames::kMaxReplaced + 10; ++i) {
    stubs.Add(0x1000, 0x100, std::to_string(i), static_cast<Nanos>(i));
  }
  EXPECT_EQ(stubs.Find(0x1000, 0).name, "");
  EXPECT_EQ(stubs.Find(0x1000, 20).name, "20");
  EXPECT_NE(stubs.EraAt(20), stubs.EraAt(21));
}

}  // namespace
}  // namespace jprof
