#include "jfr/reader/jfr_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <bit>
#include <string>
#include <vector>

#include "profile/chunk_builder.h"
#include "support/temp_folder.h"

namespace jprof::profile {
namespace {

using test::Bytes;
using test::ChunkBuilder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(JfrChunkHeaderTest, WithoutAFrequencyTicksAreNanoseconds) {
  JfrChunkHeader header;
  for (const int64_t none : {0, -1}) {
    header.ticks_per_second = none;
    EXPECT_EQ(header.NanosOfTicks(17), 17);
  }
  header.ticks_per_second = 1000;
  EXPECT_EQ(header.NanosOfTicks(17), 17'000'000);
}

// Calls a function for every event of the types named `name`.
class Visitor : public JfrVisitor {
 public:
  Visitor(std::string name, std::function<void(const JfrEvent&)> visit)
      : name_(std::move(name)), visit_(std::move(visit)) {}
  bool Wants(const RecordedType& type) override { return type.name == name_; }
  void OnEvent(const JfrEvent& event) override { visit_(event); }

 private:
  const std::string name_;
  const std::function<void(const JfrEvent&)> visit_;
};

class JfrReaderTest : public ::testing::Test {
 protected:
  Result<JfrReadReport> Read(const std::string& bytes, const std::string& name,
                             const std::function<void(const JfrEvent&)>& visit) {
    test::WriteFile(path_, bytes);
    Visitor visitor(name, visit);
    return ReadJfr(path_, visitor);
  }
  std::string ErrorOf(const std::string& bytes) {
    const auto read = Read(bytes, "", [](const JfrEvent&) {});
    return read.ok() ? "" : read.error().message();
  }
  // Returns the field `n` of all events of the type demo.Number. Stores JfrReadReport::missing, or
  // the text of the error, in `*missing`.
  std::vector<int64_t> Numbers(const std::string& bytes, std::string* missing = nullptr) {
    std::vector<int64_t> numbers;
    const auto read = Read(bytes, "demo.Number", [&](const JfrEvent& event) {
      numbers.push_back(event.Field("n").Long());
    });
    if (missing != nullptr) *missing = read.ok() ? read.value().missing : read.error().message();
    return numbers;
  }

  test::TempFolder folder_;
  const std::string path_ = folder_.File("a.jfr");
};

ChunkBuilder NumberChunk(const std::vector<int64_t>& numbers, bool compressed = true) {
  ChunkBuilder chunk(compressed);
  chunk.Type(20, "demo.Number", "jdk.jfr.Event", {{"n", test::kLongId}});
  for (const int64_t n : numbers) {
    chunk.Event(20, [n](Bytes& out) { out.Long(static_cast<uint64_t>(n)); });
  }
  return chunk;
}

const std::vector<int64_t> kNumbers = {0, 1, -1, 127, 128, 1LL << 40, INT64_MAX, INT64_MIN};

TEST_F(JfrReaderTest, EveryIntegerComesBackFromBothEncodings) {
  for (const bool compressed : {true, false}) {
    std::string missing;
    EXPECT_EQ(Numbers(NumberChunk(kNumbers, compressed).Build(), &missing), kNumbers);
    EXPECT_THAT(missing, IsEmpty());
  }
}

TEST_F(JfrReaderTest, EveryPrimitiveAndEveryFormOfStringIsRead) {
  for (const bool compressed : {true, false}) {
    ChunkBuilder chunk(compressed);
    std::vector<test::BuiltField> fields;
    for (uint64_t id = test::kBooleanId; id <= test::kDoubleId; ++id) {
      fields.push_back({"f" + std::to_string(id), id});
    }
    for (int i = 0; i < 6; ++i) fields.push_back({"s" + std::to_string(i), test::kStringId});
    fields.push_back({"array", test::kIntId, test::kArray});
    chunk.Type(20, "demo.All", "jdk.jfr.Event", fields);
    chunk.Constant(test::kStringId, 9, [](Bytes& out) { out.Utf8("pooled"); });
    chunk.Event(20, [](Bytes& out) {
      out.Byte(1);
      out.Byte(0xFE);
      out.Short(0xFFFF);
      out.Short(0xFFFF);
      out.Int(0xFFFFFFFF);
      out.Long(5);
      out.Fixed(std::bit_cast<uint32_t>(1.5f), 4);
      out.Fixed(std::bit_cast<uint64_t>(-2.25), 8);
      out.Byte(0);
      out.Byte(1);
      out.Byte(2);
      out.Long(9);
      out.Utf8("caf\xC3\xA9");
      out.Byte(4);
      out.Int(3);
      for (const uint64_t unit : {0x41, 0xD83D, 0xDE00}) out.Short(unit);
      out.Byte(5);
      out.Int(2);
      out.Raw("\xE9!");
      out.Int(3);
      for (const uint64_t n : {7, 8, 9}) out.Int(n);
    });
    int events = 0;
    const auto read = Read(chunk.Build(), "demo.All", [&](const JfrEvent& event) {
      ++events;
      EXPECT_EQ(event.Field("f2").Long(), 1);
      EXPECT_EQ(event.Field("f3").Long(), -2);
      EXPECT_EQ(event.Field("f4").Long(), 0xFFFF);
      EXPECT_EQ(event.Field("f5").Long(), -1);
      EXPECT_EQ(event.Field("f6").Long(), -1);
      EXPECT_EQ(event.Field("f7").Long(), 5);
      EXPECT_EQ(event.Field("f8").Double(), 1.5);
      EXPECT_EQ(event.Field("f9").Double(), -2.25);
      const char* const expected[] = {"",         "", "pooled", "caf\xC3\xA9", "A\xF0\x9F\x98\x80",
                                      "\xC3\xA9!"};
      for (int i = 0; i < 6; ++i) {
        EXPECT_EQ(event.Field("s" + std::to_string(i)).String(), expected[i]);
      }
      const JfrValue array = event.Field("array");
      ASSERT_EQ(array.ElementCount(), 3u);
      EXPECT_EQ(array.Element(2).Long(), 9);
      EXPECT_FALSE(array.Element(3));
      EXPECT_FALSE(event.Field("none"));
    });
    EXPECT_TRUE(read.ok());
    EXPECT_EQ(events, 1);
  }
}

TEST_F(JfrReaderTest, TimesAndDurationsFollowTheirUnits) {
  ChunkBuilder chunk;
  chunk.Type(
      20, "demo.Times", "jdk.jfr.Event",
      {{"at", test::kLongId, test::kPlain, test::kTimestampId, "TICKS"},
       {"epoch", test::kLongId, test::kPlain, test::kTimestampId, "MILLISECONDS_SINCE_EPOCH"},
       {"span", test::kLongId, test::kPlain, test::kTimespanId, "TICKS"},
       {"millis", test::kLongId, test::kPlain, test::kTimespanId, "MILLISECONDS"}});
  chunk.Event(20, [](Bytes& out) {
    for (const uint64_t value : {1500, 7, 20, 3}) out.Long(value);
  });
  const auto read = Read(chunk.Build(), "demo.Times", [](const JfrEvent& event) {
    EXPECT_EQ(event.Field("at").Nanos(), 1'000'000'000'000 + 500'000);  // ticks are 1 us
    EXPECT_EQ(event.Field("epoch").Nanos(), 7'000'000);
    EXPECT_EQ(event.Field("span").Nanos(), 20'000);
    EXPECT_EQ(event.Field("millis").Nanos(), 3'000'000);
  });
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value().events, 1);
}

TEST_F(JfrReaderTest, ReferencesAreFollowedByNameThroughPoolsAndStructs) {
  ChunkBuilder chunk;
  test::AddSampleTypes(chunk);
  test::AddSampleConstants(chunk);
  test::AddSample(chunk, 2000);
  const auto read = Read(chunk.Build(), "jdk.ExecutionSample", [](const JfrEvent& event) {
    const JfrValue frame = event.Field("stackTrace").Field("frames").Element(0);
    EXPECT_EQ(frame.Field("method").Field("name").String(), "work");
    EXPECT_EQ(frame.Field("method").Field("type").Field("name").String(), "a/B");
    EXPECT_EQ(frame.Field("type").String(), "JIT compiled");
    EXPECT_EQ(frame.Field("lineNumber").Long(), 12);
    EXPECT_EQ(event.Field("sampledThread").Key(), 1u);
    EXPECT_EQ(event.Field("sampledThread").Field("javaName").String(), "main");
  });
  ASSERT_TRUE(read.ok());
}

TEST_F(JfrReaderTest, EventsOfUnknownTypesAreSkipped) {
  ChunkBuilder chunk = NumberChunk({1});
  chunk.Event(999, [](Bytes& out) { out.Raw("whatever"); });
  chunk.Event(20, [](Bytes& out) { out.Long(2); });
  EXPECT_THAT(Numbers(chunk.Build()), ElementsAre(1, 2));
}

TEST_F(JfrReaderTest, ChunksFollowEachOther) {
  const std::string bytes =
      NumberChunk({1}).Build() + NumberChunk({2}, false).Build() + NumberChunk({3}).Build();
  std::string missing;
  EXPECT_THAT(Numbers(bytes, &missing), ElementsAre(1, 2, 3));
  EXPECT_THAT(missing, IsEmpty());
}

TEST_F(JfrReaderTest, AnUnfinishedChunkIsReadAndReported) {
  ChunkBuilder open = NumberChunk({2, 3});
  open.state = 1;
  std::string missing;
  EXPECT_THAT(Numbers(NumberChunk({1}).Build() + open.Build(), &missing), ElementsAre(1, 2, 3));
  EXPECT_THAT(missing, HasSubstr("never finished"));
}

TEST_F(JfrReaderTest, ReportsBytesAfterTheLastChunk) {
  std::string missing;
  EXPECT_THAT(Numbers(NumberChunk({1}).Build() + "rest", &missing), ElementsAre(1));
  EXPECT_THAT(missing, HasSubstr("4 bytes that are no chunk"));
}

TEST_F(JfrReaderTest, AChunkAfterADamagedOneIsRead) {
  std::string damaged = NumberChunk({1}).Build();
  damaged[68 + 4] = 77;  // the type of its metadata event is 77 now
  std::string missing;
  EXPECT_THAT(Numbers(damaged + NumberChunk({2}).Build(), &missing), ElementsAre(2));
  EXPECT_THAT(missing, HasSubstr("at byte 0"));
}

TEST_F(JfrReaderTest, RefusesOtherFilesWithAReason) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("empty"));
  EXPECT_THAT(ErrorOf("hello, this is text"), HasSubstr("does not begin with \"FLR\""));
  EXPECT_THAT(ErrorOf("\x1F\x8B rest"), HasSubstr("gunzip"));
  EXPECT_THAT(ErrorOf(NumberChunk({}).Build().substr(0, 40)), HasSubstr("within the header"));
  std::string old = NumberChunk({}).Build();
  old[5] = 0;
  EXPECT_THAT(ErrorOf(old), HasSubstr("format version 0.1"));
  Visitor ignoring("", [](const JfrEvent&) {});
  EXPECT_THAT(ReadJfr(folder_.File("none"), ignoring).error().message(), HasSubstr("No such file"));
  EXPECT_THAT(ReadJfr("/dev/null", ignoring).error().message(), HasSubstr("not a regular file"));
}

TEST_F(JfrReaderTest, ATypeThatContainsItselfIsNotRead) {
  ChunkBuilder chunk = NumberChunk({1});
  chunk.Type(21, "demo.Self", "jdk.jfr.Event", {{"self", 21}});
  chunk.Type(22, "demo.A", "jdk.jfr.Event", {{"b", 23}});
  chunk.Type(23, "demo.B", "jdk.jfr.Event", {{"a", 22, test::kArray}});
  chunk.Type(24, "demo.Nothing", "", {});
  chunk.Type(25, "demo.Nothings", "jdk.jfr.Event", {{"all", 24, test::kArray}});
  for (const uint64_t type : {21, 22, 25}) {
    chunk.Event(type, [](Bytes& out) { out.Int(0x7FFFFFFF); });
  }
  for (const char* name : {"demo.Self", "demo.A", "demo.Nothings"}) {
    int seen = 0;
    EXPECT_TRUE(Read(chunk.Build(), name, [&](const JfrEvent&) { ++seen; }).ok());
    EXPECT_EQ(seen, 0) << name;
  }
  EXPECT_THAT(Numbers(chunk.Build()), ElementsAre(1));
}

TEST_F(JfrReaderTest, AStringThatRefersToItselfIsEmpty) {
  ChunkBuilder chunk;
  chunk.Type(20, "demo.Text", "jdk.jfr.Event", {{"text", test::kStringId}});
  const auto refer = [](Bytes& out) {
    out.Byte(2);
    out.Long(1);
  };
  chunk.Constant(test::kStringId, 1, refer);
  chunk.Event(20, refer);
  const auto read = Read(chunk.Build(), "demo.Text", [](const JfrEvent& event) {
    EXPECT_EQ(event.Field("text").String(), "");
  });
  EXPECT_TRUE(read.ok());
}

TEST_F(JfrReaderTest, ReportsACheckpointWithABadPredecessor) {
  for (const int64_t delta : {int64_t{1}, int64_t{100}, INT64_MAX, INT64_MIN, int64_t{-1}}) {
    ChunkBuilder chunk = NumberChunk({1});
    chunk.last_delta = delta;
    std::string missing;
    EXPECT_THAT(Numbers(chunk.Build(), &missing), ElementsAre(1));
    EXPECT_THAT(missing, HasSubstr("header does not lead")) << delta;
  }
}

TEST_F(JfrReaderTest, ReportsACountBeyondTheBytesAsDamage) {
  ChunkBuilder chunk = NumberChunk({1});
  chunk.Constant(test::kStringId, 1, [](Bytes& out) { out.Utf8("x"); });
  chunk.LieAboutCount(test::kStringId, 0x7FFFFFFF);
  std::string missing;
  EXPECT_THAT(Numbers(chunk.Build(), &missing), ElementsAre(1));
  EXPECT_THAT(missing, HasSubstr("constants that are damaged"));
}

TEST_F(JfrReaderTest, AnEventWithATooLargeSizeEndsItsChunkOnly) {
  ChunkBuilder chunk = NumberChunk({1});
  chunk.RawEvent("\xFF\xFF\xFF\x7F\x14");
  std::string missing;
  EXPECT_THAT(Numbers(chunk.Build() + NumberChunk({2}).Build(), &missing), ElementsAre(1, 2));
  EXPECT_THAT(missing, HasSubstr("an event of"));
}

TEST_F(JfrReaderTest, TheFirstValueOfAKeyCounts) {
  ChunkBuilder chunk;
  chunk.Type(20, "demo.Text", "jdk.jfr.Event", {{"text", test::kStringId, test::kInPool}});
  chunk.Constant(test::kStringId, 1, [](Bytes& out) { out.Utf8("first"); });
  chunk.Constant(test::kStringId, 1, [](Bytes& out) { out.Utf8("second"); });
  chunk.Event(20, [](Bytes& out) { out.Long(1); });
  const auto read = Read(chunk.Build(), "demo.Text", [](const JfrEvent& event) {
    EXPECT_EQ(event.Field("text").String(), "first");
  });
  EXPECT_TRUE(read.ok());
}

}  // namespace
}  // namespace jprof::profile
