// Tests the meaning of begin=, end= and ttsp, and the error for each invalid value.
#include <gtest/gtest.h>

#include "options/choices.h"

namespace jprof {
namespace {

WindowEdges AcceptedEdges(const std::string& text) {
  const auto options = ParseOptions("start,cpu," + text);
  EXPECT_TRUE(options.ok()) << options.error().message();
  return options.value().window;
}

std::string RefusedEdges(const std::string& text) {
  const auto options = ParseOptions("start," + text);
  return options.ok() ? "accepted" : options.error().message();
}

TEST(WindowChoiceTest, MethodsHaveAClassAndFunctionsHaveNone) {
  const WindowEdges methods =
      AcceptedEdges("begin=com.acme.Shop.open+Shop.begin,end=Shop.close(I)V");
  ASSERT_EQ(methods.methods.size(), 3U);
  EXPECT_EQ(methods.methods[1].text, "Shop.begin");
  EXPECT_EQ(methods.methods[1].window_edge, MethodPattern::kBeginsWindow);
  EXPECT_EQ(methods.methods[2].window_edge, MethodPattern::kEndsWindow);
  const WindowEdges functions = AcceptedEdges("begin=SafepointSynchronize::begin,end=write");
  EXPECT_TRUE(functions.methods.empty());
  EXPECT_TRUE(WindowEdges::IsFunction(functions.begin));
  EXPECT_TRUE(WindowEdges::IsFunction(functions.end));
  EXPECT_FALSE(WindowEdges::IsFunction(""));
  EXPECT_EQ(AcceptedEdges("end=Main.ready").begin, "");
  EXPECT_FALSE(AcceptedEdges("file=o.jfr").are_given());
}

TEST(WindowChoiceTest, OneMethodCanBeginAndEndTheWindow) {
  const WindowEdges turns = AcceptedEdges("begin=Shop.turn,end=Shop.turn");
  ASSERT_EQ(turns.methods.size(), 2U);
  EXPECT_EQ(turns.methods[0].window_edge | turns.methods[1].window_edge,
            MethodPattern::kBeginsWindow | MethodPattern::kEndsWindow);
  EXPECT_EQ(AcceptedEdges("begin=write,end=write").end, "write");
}

TEST(WindowChoiceTest, TtspSelectsTheTimeToASafepoint) {
  for (const char* text : {"ttsp", "ttsp=1"}) {
    const WindowEdges ttsp = AcceptedEdges(text);
    EXPECT_EQ(ttsp.begin, "SafepointSynchronize::begin");
    EXPECT_EQ(ttsp.end, "RuntimeService::record_safepoint_synchronized");
  }
  EXPECT_FALSE(AcceptedEdges("ttsp=0").are_given());
}

TEST(WindowChoiceTest, RefusesInvalidValuesWithTheReason) {
  EXPECT_EQ(RefusedEdges("cpu,begin=Shop.a:50ms"),
            "'begin=Shop.a:50ms' takes no time: a call is enough");
  EXPECT_EQ(RefusedEdges("cpu,begin=Shop.a:count"),
            "'begin=Shop.a:count' takes no time: a call is enough");
  EXPECT_EQ(RefusedEdges("trace=Shop.a,begin=Shop.a"), "'begin=Shop.a' is for samples: add cpu");
  EXPECT_EQ(RefusedEdges("cpu,ttsp,begin=Shop.a"),
            "'ttsp' has a begin and an end of its own: leave the others out");
  EXPECT_EQ(RefusedEdges("cpu,ttsp=2"), "'ttsp=2' is neither 0 nor 1");
  EXPECT_EQ(
      RefusedEdges("cpu,begin=a b::c"),
      "'begin=a b::c' is neither a method, as com.acme.Shop.order, nor a function without its "
      "parameters");
  EXPECT_EQ(RefusedEdges("cpu,filter=main,ttsp"),
            "'ttsp' is seen on sampled threads only: leave 'filter=main' out");
  EXPECT_EQ(RefusedEdges("cpu,filter=main,begin=Shop.a"), "accepted");
  EXPECT_EQ(
      RefusedEdges("cpu,begin=com/acme/Shop.a"),
      "'begin=com/acme/Shop.a' cannot be traced: 'com/acme/Shop.a' is not a method: no name has "
      "'/', packages are joined by dots");
}

}  // namespace
}  // namespace jprof
