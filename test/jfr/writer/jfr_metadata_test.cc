#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "jfr/format/jfr_types.h"
#include "jfr/writer/event_declarations.h"
#include "jfr/writer/jfr_file.h"
#include "jfr/writer/jfr_writer.h"
#include "jfr/writer/view_events.h"
#include "support/temp_folder.h"

namespace jprof {
namespace {

class JfrMetadataTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto writer = JfrWriter::Open(folder_.File("a.jfr"), ChunkClock{});
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE(writer.value()->Seal(0).ok());
    chunk_ = test::ParseRecording(test::ReadFile(folder_.File("a.jfr"))).at(0);
  }

  std::string FieldsOf(const std::string& type) const {
    std::string text;
    for (const test::ParsedField& field : chunk_.types.at(chunk_.TypeNamed(type)).fields) {
      text += chunk_.types.at(field.type).name + (field.in_pool ? "* " : " ") + field.name +
              (field.is_array ? "[]; " : "; ");
    }
    return text;
  }

  test::TempFolder folder_;
  test::ParsedChunk chunk_;
};

TEST(JfrMetadataSizeTest, AllTypesTakeLessThanTwentyFourKilobytes) {
  JfrEncoder out;
  EncodeMetadata(out, EventDeclarations::All(), 0);
  EXPECT_LT(out.size(), 24'000u);
}

// The metadata declares every event type that a view reads, with all fields that the view reads.
TEST_F(JfrMetadataTest, DeclaresTheFieldsThatTheViewsOfTheJdkRead) {
  size_t fields = 0;
  ForEachViewEvent([&](const ViewEvent& event) {
    const test::ParsedType& type = chunk_.types.at(chunk_.TypeNamed(std::string(event.name)));
    EXPECT_EQ(type.super_type, "jdk.jfr.Event");
    ForEachViewField(event, [&](const JfrRow& field_type, std::string_view name) {
      const auto field = std::ranges::find(type.fields, name, &test::ParsedField::name);
      ASSERT_NE(field, type.fields.end()) << event.name << ' ' << name;
      EXPECT_EQ(chunk_.types.at(field->type).name, field_type.name) << event.name << ' ' << name;
      EXPECT_EQ(field->in_pool, field_type.kind != JfrKind::kPrimitive) << name;
      ++fields;
    });
  });
  EXPECT_GT(fields, 200u);
}

TEST_F(JfrMetadataTest, DeclaresEveryRowOfTheTableUnderItsId) {
  size_t types = 0;
  for (const JfrRow row : kJfrTypeTable) {
    if (row.kind == JfrKind::kField) continue;
    ++types;
    EXPECT_EQ(chunk_.types.at(TypeId(row.type)).name, row.name);
  }
  const auto is_of_table = [](const auto& type) { return type.first < kJfrTypeIds; };
  EXPECT_EQ(std::ranges::count_if(chunk_.types, is_of_table), types);
}

TEST_F(JfrMetadataTest, EveryFieldIsOfADeclaredType) {
  for (const auto& [id, type] : chunk_.types) {
    std::set<std::string> names;
    for (const test::ParsedField& field : type.fields) {
      EXPECT_TRUE(chunk_.types.contains(field.type)) << type.name << "." << field.name;
      EXPECT_TRUE(names.insert(field.name).second) << type.name << "." << field.name;
    }
  }
}

TEST_F(JfrMetadataTest, PoolTypesHaveTheLayoutsThatConsumersHardCode) {
  EXPECT_EQ(FieldsOf("java.lang.Thread"),
            "java.lang.String osName; long osThreadId; java.lang.String javaName; "
            "long javaThreadId; jdk.types.ThreadGroup* group; boolean virtual; ");
  EXPECT_EQ(FieldsOf("java.lang.Class"),
            "jdk.types.ClassLoader* classLoader; jdk.types.Symbol* name; "
            "jdk.types.Package* package; int modifiers; boolean hidden; ");
  EXPECT_EQ(FieldsOf("jdk.types.Method"),
            "java.lang.Class* type; jdk.types.Symbol* name; jdk.types.Symbol* descriptor; "
            "int modifiers; boolean hidden; ");
  EXPECT_EQ(FieldsOf("jdk.types.StackTrace"), "boolean truncated; jdk.types.StackFrame frames[]; ");
  EXPECT_EQ(FieldsOf("jdk.types.StackFrame"),
            "jdk.types.Method* method; int lineNumber; int bytecodeIndex; "
            "jdk.types.FrameType* type; ");
  EXPECT_EQ(FieldsOf("jdk.types.Symbol"), "java.lang.String string; ");
  EXPECT_EQ(FieldsOf("jdk.types.ClassLoader"), "java.lang.Class* type; jdk.types.Symbol* name; ");
  EXPECT_EQ(FieldsOf("jdk.types.ThreadGroup"),
            "jdk.types.ThreadGroup* parent; java.lang.String name; ");
}

TEST_F(JfrMetadataTest, SampleEventsHaveTheLayoutsThatConsumersHardCode) {
  EXPECT_EQ(FieldsOf("jdk.ExecutionSample"),
            "long startTime; java.lang.Thread* sampledThread; jdk.types.StackTrace* stackTrace; "
            "jdk.types.ThreadState* state; ");
  EXPECT_EQ(FieldsOf("profiler.WallClockSample"),
            "long startTime; java.lang.Thread* sampledThread; jdk.types.StackTrace* stackTrace; "
            "jdk.types.ThreadState* state; int samples; long timeSpan; ");
}

TEST_F(JfrMetadataTest, EventTypesExtendJfrEventAndStartWithTheirTime) {
  for (const JfrRow row : kJfrTypeTable) {
    if (row.kind != JfrKind::kEvent) continue;
    const test::ParsedType& type = chunk_.types.at(TypeId(row.type));
    EXPECT_EQ(type.super_type, "jdk.jfr.Event") << row.name;
    ASSERT_FALSE(type.fields.empty()) << row.name;
    EXPECT_EQ(type.fields[0].name, "startTime") << row.name;
  }
}

TEST_F(JfrMetadataTest, ThePositiveMetadataIdDependsOnTheContentOnly) {
  JfrEncoder early;
  JfrEncoder late;
  EncodeMetadata(early, EventDeclarations::All(), 0);
  EncodeMetadata(late, EventDeclarations::All(), 1'000'000);
  const std::string bytes(late.bytes().begin(), late.bytes().end());
  test::ByteReader in(bytes);
  for (int skipped = 0; skipped < 4; ++skipped) in.Varint();  // size, type, start, duration
  EXPECT_EQ(in.Varint(), chunk_.metadata_id);
  EXPECT_GT(chunk_.metadata_id, 0u);
  EXPECT_EQ(chunk_.metadata_id >> 63, 0u);
}

}  // namespace
}  // namespace jprof
