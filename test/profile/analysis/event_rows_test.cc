#include "profile/analysis/event_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "profile/chunk_builder.h"
#include "profile/sample_reader.h"
#include "support/temp_folder.h"

namespace jprof::profile {
namespace {

using test::Bytes;
using ::testing::ElementsAre;

// Reads every event of one type as a row.
class Rows : public SampleSink {
 public:
  explicit Rows(std::string type) : type_(std::move(type)) {}

  void OnSample(const Sample&) override { ++samples; }
  bool WantsEvents(const RecordedType& type) override { return type.name == type_; }
  void OnEvent(const ProfileEvent& event) override {
    columns = ColumnsOf(event.event.chunk().schema, event.event.type());
    label = LabelOf(event.event.type());
    rows.push_back(ValuesOf(event));
    events.push_back({event.time_ns, event.duration_ns, event.thread, event.stack});
  }

  struct Known {
    int64_t time_ns, duration_ns;
    std::optional<uint32_t> thread, stack;
  };
  int samples = 0;
  std::string label;
  std::vector<EventColumn> columns;
  std::vector<std::vector<EventValue>> rows;
  std::vector<Known> events;

 private:
  const std::string type_;
};

class EventRowsTest : public ::testing::Test {
 protected:
  void Read(Rows& rows) {
    test::WriteFile(path_, chunk_.Build());
    const auto report = ReadSamples(path_, LineNumbers::kDrop, profile_, rows);
    ASSERT_TRUE(report.ok()) << report.error().message();
  }

  test::ChunkBuilder chunk_;
  test::TempFolder folder_;
  const std::string path_ = folder_.File("a.jfr");
  Profile profile_;
};

TEST_F(EventRowsTest, EveryFieldIsAColumnWithItsFormAndText) {
  test::AddSampleTypes(chunk_);
  test::AddSampleConstants(chunk_);
  chunk_.Type(50, "demo.Space", "", {{"size", test::kLongId}, {"used", test::kLongId}});
  chunk_.Type(51, "demo.Cause", "", {{"cause", test::kStringId}});
  chunk_.Constant(51, 7, [](Bytes& out) { out.Utf8("System.gc()"); });
  chunk_.Type(40, "demo.Pause", "jdk.jfr.Event",
              {{"startTime", test::kLongId, test::kPlain, test::kTimestampId, "TICKS"},
               {"duration", test::kLongId, test::kPlain, test::kTimespanId, "TICKS"},
               {"eventThread", 31, test::kInPool},
               {"stackTrace", 32, test::kInPool},
               {"longest", test::kLongId, test::kPlain, test::kTimespanId, "MILLISECONDS"},
               {"space", 50},
               {"cause", 51, test::kInPool},
               {"owner", 35, test::kInPool},
               {"worker", 31, test::kInPool},
               {"full", test::kBooleanId},
               {"names", test::kStringId, test::kArray}});
  chunk_.Event(40, [](Bytes& out) {
    out.Long(3000);
    out.Long(500);
    out.Long(1);
    out.Long(1);
    out.Long(12);
    out.Long(100);
    out.Long(40);
    out.Long(7);
    out.Long(1);
    out.Long(1);
    out.Byte(1);
    out.Int(2);
    out.Utf8("x");
    out.Utf8("y");
  });
  Rows rows("demo.Pause");
  Read(rows);
  std::vector<std::string> names;
  for (const EventColumn& column : rows.columns) names.push_back(column.name);
  EXPECT_THAT(names, ElementsAre("longest", "space.size", "space.used", "cause", "owner", "worker",
                                 "full", "names"));
  EXPECT_EQ(rows.columns[0].form, ValueForm::kDuration);
  ASSERT_EQ(rows.rows.size(), 1u);
  std::vector<std::string> texts;
  for (const EventValue& value : rows.rows[0]) texts.push_back(value.text);
  EXPECT_THAT(texts,
              ElementsAre("12.00 ms", "100", "40", "System.gc()", "a.B", "main", "true", "x, y"));
  EXPECT_EQ(rows.rows[0][0].number, 12e6);
  EXPECT_EQ(rows.label, "demo.Pause");
  // The builder's clock has a million ticks a second and starts at 1000 ticks.
  EXPECT_EQ(rows.events[0].time_ns, 1'000'000'000'000 + 2'000'000);
  EXPECT_EQ(rows.events[0].duration_ns, 500'000);
  ASSERT_TRUE(rows.events[0].thread);
  EXPECT_EQ(profile_.ThreadName(*rows.events[0].thread), "main");
  ASSERT_TRUE(rows.events[0].stack);
  EXPECT_EQ(profile_.FrameText(profile_.stacks.frame(*rows.events[0].stack)), "a.B.work");
  EXPECT_EQ(rows.samples, 1) << "an event with a stack is a sample as well";
}

TEST_F(EventRowsTest, AnEventWithoutThreadOrStackHasNone) {
  chunk_.Type(40, "demo.Tick", "jdk.jfr.Event",
              {{"startTime", test::kLongId, test::kPlain, test::kTimestampId, "TICKS"},
               {"n", test::kIntId}});
  chunk_.Event(40, [](Bytes& out) {
    out.Long(1000);
    out.Int(42);
  });
  Rows rows("demo.Tick");
  Read(rows);
  ASSERT_EQ(rows.events.size(), 1u);
  EXPECT_FALSE(rows.events[0].thread);
  EXPECT_FALSE(rows.events[0].stack);
  EXPECT_EQ(rows.rows[0][0].text, "42");
  EXPECT_EQ(rows.samples, 0);
}

TEST_F(EventRowsTest, ReadsNumbersOfEveryKind) {
  constexpr uint64_t kUnsigned = 60, kPlainSpan = test::kTimespanId;
  chunk_.Type(kUnsigned, "jdk.jfr.Unsigned", "", {});
  const auto is_unsigned = [](const char* name, uint64_t type) {
    return test::BuiltField{name, type, test::kPlain, kUnsigned, ""};
  };
  const auto span = [](const char* name, uint64_t type, const char* unit) {
    return test::BuiltField{name, type, test::kPlain, kPlainSpan, unit};
  };
  chunk_.Type(40, "demo.Values", "jdk.jfr.Event",
              {{"startTime", test::kLongId, test::kPlain, test::kTimestampId, "TICKS"},
               is_unsigned("ub", test::kByteId),
               is_unsigned("ui", test::kIntId),
               is_unsigned("ul", test::kLongId),
               {"c", test::kCharId},
               span("absent", test::kLongId, "MILLISECONDS"),
               span("forever", test::kLongId, "MILLISECONDS"),
               span("real", test::kDoubleId, "SECONDS"),
               {"infinite", test::kDoubleId},
               {"huge", test::kDoubleId},
               {"tiny", test::kDoubleId},
               {"text", test::kStringId}});
  const std::string dump = std::string(100'000, 'x') + "end";
  chunk_.Event(40, [&dump](Bytes& out) {
    const auto real = [&out](double number) { out.Fixed(std::bit_cast<uint64_t>(number), 8); };
    out.Long(3000);
    out.Byte(200);
    out.Int(3'000'000'000);
    for (int i = 0; i < 9; ++i) out.Byte(0xFF);  // -1
    out.Short(0xE9);
    for (int i = 0; i < 8; ++i) out.Byte(0x80);
    out.Byte(0x80);  // the least long
    for (int i = 0; i < 8; ++i) out.Byte(0xFF);
    out.Byte(0x7F);  // the greatest long
    real(1.5);
    real(HUGE_VAL);
    real(1e300);
    real(1e-7);
    out.Utf8(dump);
  });
  Rows rows("demo.Values");
  Read(rows);
  ASSERT_EQ(rows.rows.size(), 1u);
  std::vector<std::string> texts;
  for (const EventValue& value : rows.rows[0]) texts.push_back(value.text);
  EXPECT_THAT(texts, ElementsAre("200", "3000000000", "18446744073709551615", "\xC3\xA9", "",
                                 "forever", "1.50 s", "Infinity", "1e+300", "1e-07", dump));
  EXPECT_EQ(rows.rows[0][1].number, 3e9);
  EXPECT_TRUE(std::isnan(rows.rows[0][4].number));
  EXPECT_EQ(rows.rows[0][6].number, 1.5e9);
}

TEST(EventTextTest, NumbersReadAsPeopleWriteThem) {
  EXPECT_EQ(TextOf(ValueForm::kDuration, 950), "950 ns");
  EXPECT_EQ(TextOf(ValueForm::kDuration, 12'345'678), "12.35 ms");
  EXPECT_EQ(TextOf(ValueForm::kBytes, 3 << 20), "3.00 MB");
  EXPECT_EQ(TextOf(ValueForm::kFraction, 0.25), "25.00 %");
  EXPECT_EQ(TextOf(ValueForm::kAddress, 4096), "0x1000");
  setenv("TZ", "XYZ-5:30", 1);  // a zone ahead of UTC
  tzset();
  EXPECT_EQ(TextOf(ValueForm::kTime, 1'700'006'400'250e6), "2023-11-15T05:30:00.250+05:30");
  EXPECT_EQ(TextOf(ValueForm::kTime, 1'700'006'400'250.9e6), "2023-11-15T05:30:00.250+05:30");
  unsetenv("TZ");
  tzset();
  for (const double hostile : {1e300, -1e300, std::nan(""), HUGE_VAL}) {
    TextOf(ValueForm::kTime, hostile);
    TextOf(ValueForm::kAddress, hostile);
  }
}

}  // namespace
}  // namespace jprof::profile
