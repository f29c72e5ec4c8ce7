// Tests the meaning of context= and attributes=, and the error for each invalid value.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "options/choices.h"

namespace jprof {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Options AcceptedContext(const std::string& text) {
  const auto options = ParseOptions("start,cpu" + text);
  EXPECT_TRUE(options.ok()) << options.error().message();
  return options.value();
}

std::string RefusedContext(const std::string& text) {
  const auto options = ParseOptions("start,cpu," + text);
  return options.ok() ? "accepted" : options.error().message();
}

TEST(ContextChoiceTest, ContextsAreOffByDefault) {
  EXPECT_FALSE(AcceptedContext("").context);
  EXPECT_FALSE(AcceptedContext(",context=0").context);
  EXPECT_TRUE(AcceptedContext(",context").context);
  EXPECT_TRUE(AcceptedContext(",context=1").context);
  EXPECT_THAT(AcceptedContext(",context").attributes, IsEmpty());
  EXPECT_FALSE(AcceptedContext(",context").samples[SampleKind::kSpan].enabled());
  EXPECT_FALSE(AcceptedContext(",context,spans=0").samples[SampleKind::kSpan].enabled());
  EXPECT_FALSE(AcceptedContext(",spans=0").samples[SampleKind::kSpan].enabled());
  EXPECT_TRUE(AcceptedContext(",spans,context").samples[SampleKind::kSpan].enabled());
  EXPECT_TRUE(AcceptedContext(",spans,context").samples[SampleKind::kCpu].enabled());
  EXPECT_FALSE(AcceptedContext(",context").context_export);
  EXPECT_FALSE(AcceptedContext(",context,contextexport=0").context_export);
  EXPECT_TRUE(AcceptedContext(",context,contextexport").context_export);
  EXPECT_THAT(AcceptedContext(",context,attributes=http.route;tenant-id;_x").attributes,
              ElementsAre("http.route", "tenant-id", "_x"));
}

TEST(ContextChoiceTest, RefusesInvalidValuesWithTheReason) {
  EXPECT_EQ(RefusedContext("context=2"), "'context=2' is neither 0 nor 1");
  EXPECT_EQ(RefusedContext("context,spans=2"), "'spans=2' is neither 0 nor 1");
  EXPECT_EQ(RefusedContext("spans"), "'spans' is for trace contexts: add context=1");
  EXPECT_EQ(RefusedContext("context=0,spans=1"), "'spans=1' is for trace contexts: add context=1");
  EXPECT_EQ(RefusedContext("context,contextexport=on"), "'contextexport=on' is neither 0 nor 1");
  EXPECT_EQ(RefusedContext("contextexport"),
            "'contextexport' is for trace contexts: add context=1");
  EXPECT_EQ(RefusedContext("attributes=a"), "'attributes=a' is for trace contexts: add context=1");
  EXPECT_EQ(RefusedContext("context,attributes=a;b;a"), "'attributes=a;b;a' has 'a' twice");
  for (const std::string name : {"", "7up", "a b", ".x"}) {
    EXPECT_EQ(
        RefusedContext("context,attributes=ok;" + name),
        "'attributes=ok;" + name + "' has '" + name +
            "', which is not a name: letters, digits, '_', '.' and '-', a letter or '_' first");
  }
  std::string many = "a0";
  for (int i = 1; i < 17; ++i) many += ";a" + std::to_string(i);
  EXPECT_EQ(RefusedContext("context,attributes=" + many),
            "'attributes=" + many + "' has more than 16 names");
}

}  // namespace
}  // namespace jprof
