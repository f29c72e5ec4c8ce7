// Tests the view `differences`, which groups the errors of walkers. The content of the recordings is
// known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "jfr/writer/jfr_writer.h"
#include "support/temp_folder.h"
#include "views/json_rows.h"
#include "views/sliced_view.h"

namespace jprof {
namespace {

using test::JsonRow;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

class DifferencesViewTest : public testing::Test {
 protected:
  DifferencesViewTest()
      : writer_(JfrWriter::Open(path_, ChunkClock{1'700'000'000'000'000'000, 0}).value()) {}

  // Counts stacks of AsyncGetCallTrace at signals, in compiled code.
  void Count(std::string_view verdict, std::string_view cause, uint64_t stacks,
             std::string_view walker = "AsyncGetCallTrace") {
    StackValidation event;
    event.layer = "signal";
    event.walker = walker;
    event.tier = "C2";
    event.verdict = verdict;
    event.cause = cause;
    event.is_judged = true;
    event.is_wrong = verdict != "equal" && verdict != "moved";
    event.stacks = stacks;
    writer_->Append(event);
  }
  void AddExample(std::string_view verdict, std::string_view cause, std::string_view truth,
                  std::string_view walked) {
    StackDifference event;
    event.layer = "signal";
    event.walker = "AsyncGetCallTrace";
    event.tier = "C2";
    event.verdict = verdict;
    event.cause = cause;
    event.instruction = "at 0x12 of 0x40 bytes";
    event.true_stack = truth;
    event.walked_stack = walked;
    writer_->Append(event);
  }

  std::string Text(bool has_only_errors = false) {
    Seal();
    FormatOptions options;
    options.table.has_only_errors = has_only_errors;
    return test::SlicedView("differences", path_, {}, options);
  }
  std::string Json() {
    Seal();
    return test::SlicedJson("differences", path_, {});
  }

 private:
  void Seal() { ASSERT_TRUE(writer_->Seal(1'000'000).ok()); }

  test::TempFolder folder_;
  const std::string path_ = folder_.File("a.jfr");
  std::unique_ptr<JfrWriter> writer_;
};

TEST_F(DifferencesViewTest, CountsOfACauseAreAddedUpAndTheCommonestErrorComesFirst) {
  Count("equal", "", 90);
  Count("moved", "Shop.moved()V", 50);
  Count("missing", "Shop.order(I)V", 2);
  Count("extra", "itable stub", 5);
  Count("missing", "Shop.order(I)V", 4);
  std::vector<std::vector<std::string>> rows;
  for (const JsonRow& row : test::JsonRows(Json())) {
    rows.push_back({row.at("verdict"), row.at("cause"), row.at("stacks"), row.at("wrong")});
  }
  EXPECT_THAT(rows, ElementsAre(ElementsAre("missing", "Shop.order(I)V", "6", "true"),
                                ElementsAre("extra", "itable stub", "5", "true"),
                                ElementsAre("moved", "Shop.moved()V", "50", "false")));
}

TEST_F(DifferencesViewTest, TheRateIsThatOfTheWalkersComparedStacks) {
  Count("equal", "", 96);
  Count("equal", "", 1000, "jprof");
  Count("missing", "Shop.order(I)V", 4);
  EXPECT_EQ(test::JsonRows(Json()).at(0).at("rate"), "0.04");
}

TEST_F(DifferencesViewTest, TenCausesOfAWalkerHaveRowsAndTheOthersAreAddedUp) {
  for (uint64_t i = 1; i <= 13; ++i) Count("extra", "stub " + std::to_string(i), i);
  Count("extra", "stub of another walker", 1, "jprof");
  const std::vector<JsonRow> rows = test::JsonRows(Json());
  ASSERT_THAT(rows, SizeIs(12));
  EXPECT_EQ(rows.at(0).at("cause"), "stub 13");
  EXPECT_EQ(rows.at(9).at("cause"), "stub 4");
  EXPECT_EQ(rows.at(10).at("cause"), "(others)");
  EXPECT_EQ(rows.at(10).at("stacks"), "6");
  EXPECT_EQ(rows.at(11).at("walker"), "jprof");
}

TEST_F(DifferencesViewTest, TheTextHasBothStacksOfAnErrorAboveTheirCommonFrames) {
  Count("missing", "Shop.order(I)V", 4);
  AddExample("missing", "Shop.order(I)V", "Shop.b()V @ 7\nShop.c()V @ 8\nShop.main()V @ 9\n",
             "(1 not probed)\nShop.c()V @ 8\n(2 not probed)\nShop.main()V @ 3\n");
  EXPECT_THAT(Text(), HasSubstr("\nAsyncGetCallTrace, signal: missing, C2, in Shop.order(I)V\n"
                                "  at 0x12 of 0x40 bytes\n"
                                "  true stack\n    Shop.b()V @ 7\n"
                                "  walked stack\n    (1 not probed)\n"
                                "  frames in common below: 2\n"));
}

TEST_F(DifferencesViewTest, AStackThatIsTheRootOfTheOtherSaysSo) {
  Count("extra", "Shop.order(I)V", 4);
  AddExample("extra", "Shop.order(I)V", "Shop.main()V\n", "Shop.b()V @ 7\nShop.main()V @ 9\n");
  EXPECT_THAT(Text(), HasSubstr("  true stack\n    only the frames below\n"
                                "  walked stack\n    Shop.b()V @ 7\n"
                                "  frames in common below: 1\n"));
}

TEST_F(DifferencesViewTest, OnlyErrorsAreShownIfTheyAreWanted) {
  Count("moved", "Shop.moved()V", 50);
  Count("missing", "Shop.order(I)V", 2);
  EXPECT_THAT(Text(true), AllOf(HasSubstr("2 wrong stacks"), HasSubstr("Shop.order(I)V"),
                                Not(HasSubstr("Shop.moved"))));
}

TEST_F(DifferencesViewTest, ARecordingWithoutDifferencesSaysSo) {
  Count("equal", "", 96);
  EXPECT_THAT(Text(), AllOf(HasSubstr("0 wrong stacks"), HasSubstr("There are none")));
}

}  // namespace
}  // namespace jprof
