// Tests the view `spans` on synthetic spans that have scopes, samples, or both.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "profile/chunk_builder.h"
#include "profile/span_recording.h"
#include "support/temp_folder.h"
#include "views/json_rows.h"
#include "views/sliced_view.h"

namespace jprof {
namespace {

using test::JsonRow;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class SpansViewTest : public ::testing::Test {
 protected:
  void Sample(int64_t at_ms, const test::SpanTags& tags) { recording_.Sample(at_ms, tags); }
  void Scope(int64_t from_ms, int64_t to_ms, const test::SpanTags& tags) {
    recording_.Scope(from_ms, to_ms, tags);
  }

  std::vector<JsonRow> View(const profile::SliceOptions& part = {}) {
    if (!std::exchange(is_sealed_, true)) recording_.Seal(1000);
    return test::JsonRows(test::SlicedJson("spans", path_, part));
  }

  test::TempFolder folder_;
  const std::string path_ = folder_.File("a.jfr");
  test::SpanRecording recording_{path_};
  bool is_sealed_ = false;
};

std::vector<std::string> Spans(const std::vector<JsonRow>& rows) {
  std::vector<std::string> texts;
  for (const JsonRow& row : rows) {
    texts.push_back(row.at("spanId").substr(12) + " " + row.at("duration") + " " + row.at("cpu"));
  }
  return texts;
}

TEST_F(SpansViewTest, ScopesGiveDurationsAndSamplesCpuTime) {
  Sample(10, {.span = 1, .root = 1});
  Sample(30, {.span = 1, .root = 1});
  Scope(5, 40, {.span = 1, .root = 1, .tenant = "acme"});
  Sample(90, {.span = 1, .root = 1});  // work of another thread, after the scope
  Scope(60, 62, {.span = 2, .root = 1, .tenant = "zebra"});  // no sample fell into it
  Scope(64, 70, {.span = 2, .root = 1, .tenant = "acme"});
  Sample(100, {.span = 3});
  Sample(107, {.span = 3});
  const std::vector<JsonRow> rows = View();
  EXPECT_THAT(Spans(rows), ElementsAre("0001 3.5e+07 3", "0002 1e+07 0", "0003 7e+06 2"));
  ASSERT_THAT(rows, SizeIs(3));
  EXPECT_EQ(rows[0].at("labels"), "tenant=acme");
  EXPECT_EQ(rows[1].at("labels"), "tenant=acme tenant=zebra");
  EXPECT_EQ(rows[1].at("localRootSpanId"), "0000000000000001");
  EXPECT_EQ(rows[0].at("atLeast"), "");
  EXPECT_EQ(rows[2].at("atLeast"), "+");
}

TEST_F(SpansViewTest, WithoutScopesSpansLastFromFirstToLastSample) {
  Sample(10, {.span = 1, .root = 1});
  Sample(30, {.span = 1, .root = 1});
  const std::vector<JsonRow> rows = View();
  EXPECT_THAT(Spans(rows), ElementsAre("0001 2e+07 2"));
  EXPECT_EQ(rows[0].count("atLeast"), 0u);
}

TEST_F(SpansViewTest, ChoosesScopesBySpanRootAndTagLikeSamples) {
  Sample(10, {.span = 1, .root = 1, .tenant = "acme"});
  Scope(5, 40, {.span = 1, .root = 1, .tenant = "acme"});
  Scope(60, 62, {.span = 2, .root = 1, .tenant = "zebra"});
  Scope(70, 73, {.span = 3, .root = 3, .tenant = "acme"});
  EXPECT_THAT(View(), SizeIs(3));
  EXPECT_THAT(Spans(View({.span = "1"})), ElementsAre("0001 3.5e+07 1", "0002 2e+06 0"));
  EXPECT_THAT(Spans(View({.tag = "tenant=acme"})), ElementsAre("0001 3.5e+07 1", "0003 3e+06 0"));
  EXPECT_THAT(Spans(View({.span = "1", .tag = "tenant=acme"})), ElementsAre("0001 3.5e+07 1"));
}

// An algorithm that is quadratic in the number of fields would take minutes.
TEST_F(SpansViewTest, ReadsManyTagsOfASpanInLinearTime) {
  constexpr size_t kTags = 200'000;
  test::ChunkBuilder chunk;
  std::vector<test::BuiltField> fields = {{"spanId", test::kLongId},
                                          {"localRootSpanId", test::kLongId}};
  for (size_t i = 0; i < kTags; ++i) fields.push_back({"t" + std::to_string(i), test::kStringId});
  chunk.Type(20, "profiler.Span", "jdk.jfr.Event", fields);
  chunk.Event(20, [](test::Bytes& out) {
    out.Long(7);
    out.Long(7);
    for (size_t i = 0; i + 1 < kTags; ++i) out.Byte(0);
    out.Utf8("last");
  });
  test::WriteFile(folder_.File("b.jfr"), chunk.Build());
  EXPECT_THAT(test::SlicedJson("spans", folder_.File("b.jfr"), {}),
              HasSubstr("\"labels\":\"t199999=last\""));
}

// The slice has no samples, but the view has a row for the span. So this is not an error.
TEST_F(SpansViewTest, ShowsASpanWithoutSamples) {
  Sample(10, {.span = 1, .root = 1});
  Scope(60, 62, {.span = 2, .root = 2});
  const std::vector<JsonRow> rows = View({.span = "2"});
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0].at("spanId"), "0000000000000002");
  EXPECT_EQ(rows[0].at("duration"), "2e+06");
}

}  // namespace
}  // namespace jprof
