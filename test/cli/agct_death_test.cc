#include "cli/agct_death.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jprof {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kNote =
    "thread 4712 Thread-1\nlayer signal\nwalker AsyncGetCallTrace\ntier C2\npc 7f00beef\n"
    "code Shop.order(I)V\nplace at 0x12 of 0x40 bytes\nstack\nShop.order(I)V @ 3\n"
    "Shop.main()V @ 9\n\0stack of an earlier note\n"sv;

TEST(ParseAgctNoteTest, TheFactsAreThoseOfTheNote) {
  const auto death = ParseAgctNote(kNote);
  ASSERT_TRUE(death);
  EXPECT_EQ(death->thread, "4712 Thread-1");
  EXPECT_EQ(death->layer, "signal");
  EXPECT_EQ(death->walker, "AsyncGetCallTrace");
  EXPECT_EQ(death->tier, "C2");
  EXPECT_EQ(death->pc, 0x7f00beefu);
  EXPECT_EQ(death->cause, "Shop.order(I)V");
  EXPECT_EQ(death->place, "at 0x12 of 0x40 bytes");
  EXPECT_EQ(death->stack, "Shop.order(I)V @ 3\nShop.main()V @ 9\n");
}

TEST(ParseAgctNoteTest, ThereIsNoDeathWhileNoCallIsBeingMade) {
  EXPECT_FALSE(ParseAgctNote(""));
  EXPECT_FALSE(ParseAgctNote("\0hread 4712 Thread-1\n"sv));
}

TEST(ParseAgctNoteTest, ACutNoteGivesWhatItHas) {
  for (size_t size = 1; size < kNote.size(); ++size) {
    EXPECT_TRUE(ParseAgctNote(kNote.substr(0, size)));
  }
}

TEST(ParseAgctNoteTest, TheSentenceNamesThreadInstructionAndStack) {
  EXPECT_EQ(TextOf(*ParseAgctNote(kNote), 4711),
            "AsyncGetCallTrace killed process 4711 in thread 4712 Thread-1, at 0x7f00beef in "
            "Shop.order(I)V (at 0x12 of 0x40 bytes); Java frames: Shop.order(I)V @ 3 < "
            "Shop.main()V @ 9");
}

TEST(ParseAgctNoteTest, TheSentenceHasTheInnermostFrames) {
  AgctDeath death;
  for (const char* frame : {"1", "2", "3", "4", "5", "6", "7"})
    death.stack += frame + std::string("\n");
  EXPECT_THAT(TextOf(death, 4711), testing::EndsWith("; Java frames: 1 < 2 < 3 < 4 < 5 < 6 < ..."));
}

}  // namespace
}  // namespace jprof
