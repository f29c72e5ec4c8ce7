#include "views/table.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "conversion/all_formats.h"
#include "formats/output_stream.h"
#include "profile/analysis/event_rows.h"
#include "profile/chunk_builder.h"
#include "support/temp_folder.h"
#include "views/json_rows.h"
#include "views/sliced_view.h"

namespace jprof {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Table Methods() {
  Table table{.title = "cpu: 30 samples"};
  table.columns = {{"self", "self", ValueForm::kNumber},
                   {"method", "method", ValueForm::kText, Cut::kFront},
                   {"note", "note"}};
  table.rows = {{NumberCell(ValueForm::kNumber, 9), TextCell("b.B.run"), TextCell("x")},
                {NumberCell(ValueForm::kNumber, 20), TextCell("a.A.run"), TextCell("y")},
                {NumberCell(ValueForm::kNumber, 1), TextCell("c.C.run"), TextCell("z")}};
  table.if_empty = "There are none.";
  return table;
}

std::string Written(const Table& table, const TableOptions& options) {
  const int fd = memfd_create("table", MFD_CLOEXEC);
  OutputStream out(fd, "table");
  WriteTable(table, options, out);
  EXPECT_TRUE(out.Finish().ok());
  std::string text(static_cast<size_t>(lseek(fd, 0, SEEK_END)), '\0');
  EXPECT_EQ(pread(fd, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  close(fd);
  return text;
}

size_t WidestLine(const std::string& text) {
  size_t widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto characters =
        static_cast<size_t>(std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; }));
    widest = std::max(widest, characters);
  }
  return widest;
}

TEST(TableTest, NumbersAreAlignedRightAndTextsLeft) {
  EXPECT_EQ(Written(Methods(), {}),
            "cpu: 30 samples\n\nSELF  METHOD   NOTE\n   9  b.B.run  x\n  20  a.A.run  y\n"
            "   1  c.C.run  z\n");
}

TEST(TableTest, RowsAreSortedByAnyColumnAndLimited) {
  Table table = Methods();
  ASSERT_TRUE(Arrange({.sort = "self", .limit = 2}, table).ok());
  EXPECT_EQ(table.rows[0][1].text, "a.A.run");
  EXPECT_EQ(table.rows[1][1].text, "b.B.run");
  EXPECT_EQ(table.left_out, 1u);
  EXPECT_THAT(Written(table, {}), HasSubstr("\n1 more row; --limit 0 shows all\n"));
  table = Methods();
  ASSERT_TRUE(Arrange({.sort = "method"}, table).ok());
  EXPECT_EQ(table.rows[0][1].text, "a.A.run");
  EXPECT_EQ(table.rows[2][1].text, "c.C.run");
  EXPECT_THAT(Arrange({.sort = "Self"}, table).error().message(), HasSubstr("self, method, note"));
}

TEST(TableTest, ReportsDroppedRowsApartFromRowsBeyondTheLimit) {
  Table table = Methods();
  table.not_kept = 7;
  ASSERT_TRUE(Arrange({.limit = 0}, table).ok());
  std::string text = Written(table, {});
  EXPECT_THAT(text, HasSubstr("\n7 more rows than the view keeps\n"));
  EXPECT_THAT(text, Not(HasSubstr("--limit 0")));
  ASSERT_TRUE(Arrange({.limit = 2}, table).ok());
  EXPECT_THAT(Written(table, {}), HasSubstr("\n1 more row; --limit 0 shows all\n"
                                            "7 more rows than the view keeps\n"));
  EXPECT_THAT(Written(table, {.is_json = true}), HasSubstr("\"leftOut\":8"));
}

TEST(TableTest, LinesFitTheTerminalAndMethodsKeepTheirEnds) {
  Table table = Methods();
  table.rows[0][1] = TextCell("com.example." + std::string(200, 'x') + "é.Handler.run");
  table.rows[0][2] = TextCell("begin " + std::string(100, 'y'));
  for (const size_t width : {40u, 80u, 120u}) {
    const std::string text = Written(table, {.width = width});
    EXPECT_LE(WidestLine(text), width) << text;
    EXPECT_THAT(text, HasSubstr(".run")) << text;
    EXPECT_THAT(text, HasSubstr("begin ")) << text;
    EXPECT_THAT(text, HasSubstr("…")) << text;
  }
  EXPECT_THAT(Written(table, {}), Not(HasSubstr("…")));
}

TEST(TableTest, NamesCannotControlTheTerminalOrForgeLines) {
  Table table = Methods();
  table.title = "title\x1b]0;owned\x07";
  table.columns[2].label = "no\nte";
  table.rows[0][1] = TextCell("evil\x1b[31m\nroot  99 %\xE2\x80\xAE");
  const std::string text = Written(table, {});
  EXPECT_EQ(text.find_first_of("\x1b\x07"), std::string::npos);
  EXPECT_EQ(text.find("\xE2\x80\xAE"), std::string::npos);
  EXPECT_EQ(std::ranges::count(text, '\n'), 6);
  const std::string json = Written(table, {.is_json = true});
  EXPECT_EQ(json.find_first_of("\x1b\x07"), std::string::npos);
  EXPECT_EQ(std::ranges::count(json, '\n'), 1);
}

TEST(TableTest, JsonHasUnchangedNumbersAndUnindentedTexts) {
  Table table = Methods();
  table.rows.resize(1);
  table.rows[0][1] = TextCell("b.B.run", 3);
  EXPECT_THAT(Written(table, {}), HasSubstr("   9        b.B.run  x\n"));
  EXPECT_EQ(Written(table, {.is_json = true}),
            "{\"title\":\"cpu: 30 samples\",\"rows\":[{\"self\":9,\"method\":\"b.B.run\",\"note\":"
            "\"x\"}],\"leftOut\":0}\n");
}

TEST(TableTest, ExplainsTheLackOfRows) {
  Table table = Methods();
  table.rows.clear();
  EXPECT_EQ(Written(table, {}), "cpu: 30 samples\n\nThere are none.\n");
  EXPECT_THAT(Written(table, {.is_json = true}), HasSubstr("\"rows\":[]"));
}

// ---- losses

// Writes a recording of one CPU sample of the thread "main" and three of the thread "other".
// Another 4 CPU samples and 5 wall samples are lost and belong to no known thread.
void WriteLosses(const std::string& path) {
  test::ChunkBuilder chunk;
  test::AddSampleTypes(chunk);
  test::AddSampleConstants(chunk);
  chunk.Constant(31, 2, [](test::Bytes& out) {
    out.Utf8("other");
    out.Long(43);
    out.Utf8("other");
    out.Long(2);
  });
  for (const uint64_t thread : {1, 2, 2, 2}) test::AddSample(chunk, chunk.start_ticks + 1, thread);
  chunk.Type(40, "profiler.SampleCount", "jdk.jfr.Event",
             {{"startTime", test::kLongId, test::kPlain, test::kTimestampId, "TICKS"},
              {"kind", test::kStringId},
              {"outcome", test::kStringId},
              {"intervals", test::kLongId}});
  const auto count = [&chunk](const char* kind, const char* outcome, uint64_t intervals) {
    chunk.Event(40, [&](test::Bytes& out) {
      out.Long(chunk.start_ticks + 1);
      out.Utf8(kind);
      out.Utf8(outcome);
      out.Long(intervals);
    });
  };
  count("cpu", "lost: no thread slot", 4);
  count("wall", "lost: no thread slot", 5);
  count("context", "lost: stack storage full", 2);
  count("context", "lost: stack storage full", 1);
  test::WriteFile(path, chunk.Build());
}

TEST(LossViewTest, PartsOfAKindOmitLossesWithoutAThread) {
  const test::TempFolder folder;
  const std::string path = folder.File("a.jfr");
  WriteLosses(path);
  const auto losses = [&path](const profile::SliceOptions& part) {
    std::string text;
    for (const test::JsonRow& row : test::JsonRows(test::SlicedJson("losses", path, part))) {
      text += row.at("event") + " " + row.at("lost") + " " + row.at("share") + "; ";
    }
    return text;
  };
  EXPECT_EQ(losses({}), "wall 5 1; cpu 4 0.5; context 3 0; ");
  EXPECT_EQ(losses({.reverse = true}), losses({}));
  EXPECT_EQ(losses({.event = "cpu"}), "cpu 4 0.5; ");
  EXPECT_EQ(losses({.thread = "main"}), "");
  EXPECT_EQ(losses({.event = "cpu", .until = "1s"}), "");
  EXPECT_THAT(test::SlicedView("losses", path, {.thread = "main"}),
              HasSubstr("--thread main; what was lost without a thread slot is left out; "
                        "missing contexts are left out\n"));
  EXPECT_THAT(test::SlicedView("losses", path, {}),
              HasSubstr("missing contexts: stack storage full"));
}

// One of the two stacks contains the same method without a name twice.
TEST(LossViewTest, CountsSamplesWithoutNamesOrCallersByReason) {
  test::ChunkBuilder chunk;
  test::AddSampleTypes(chunk);
  test::AddSampleConstants(chunk);
  const std::vector<std::string> markers = {"[no method id]", "[break: stub]"};
  for (uint64_t i = 0; i < markers.size(); ++i) {
    chunk.Constant(36, 10 + i, [&](test::Bytes& out) { out.Utf8(markers[i]); });
    chunk.Constant(34, 10 + i, [&](test::Bytes& out) {
      out.Long(1);
      out.Long(10 + i);
      out.Long(0);
    });
  }
  chunk.Constant(32, 2, [](test::Bytes& out) {
    out.Byte(0);
    out.Int(4);
    for (const uint64_t method : {10, 1, 10, 11}) {
      out.Long(method);
      out.Int(1);
      out.Long(1);
    }
  });
  for (const uint64_t stack : {1, 2, 1, 2}) {
    test::AddSample(chunk, chunk.start_ticks + 1, 1, stack);
  }
  const test::TempFolder folder;
  const std::string path = folder.File("a.jfr");
  test::WriteFile(path, chunk.Build());
  std::string text;
  for (const test::JsonRow& row : test::JsonRows(test::SlicedJson("losses", path, {}))) {
    text += row.at("event") + " " + row.at("share") + " " + row.at("reason") + "; ";
  }
  EXPECT_EQ(text,
            "cpu 0.5 2 samples with [no method id] in their stack; "
            "cpu 0.5 2 samples with [break: stub] in their stack; ");
}

// ---- events

TEST(EventViewTest, ShowsTheFirstFieldsOfAChangingTypeAndReportsIt) {
  constexpr size_t kChunks = 3, kFields = profile::kMaxColumns;
  std::string chunks;
  for (size_t i = 0; i < kChunks; ++i) {
    test::ChunkBuilder chunk;
    std::vector<test::BuiltField> fields = {
        {"startTime", test::kLongId, test::kPlain, test::kTimestampId, "TICKS"},
        {"duration", test::kLongId, test::kPlain, test::kTimespanId, "TICKS"}};
    for (size_t k = 0; k < kFields; ++k) {
      fields.push_back({"f" + std::to_string(i * kFields + k), test::kIntId});
    }
    chunk.Type(20, "demo.Event", "jdk.jfr.Event", fields);
    chunk.Event(20, [&](test::Bytes& out) {
      out.Long(chunk.start_ticks);
      out.Long(1);
      for (size_t k = 0; k < kFields; ++k) out.Int(7);
    });
    chunks += chunk.Build();
  }
  const test::TempFolder folder;
  test::WriteFile(folder.File("a.jfr"), chunks);
  FormatOptions options;
  options.table.type = "demo.Event";
  EXPECT_THAT(test::SlicedView("events", folder.File("a.jfr"), {}, options),
              AllOf(HasSubstr("demo.Event: 3, with their first 200 fields only\n"),
                    HasSubstr("F199"), Not(HasSubstr("F200"))));
  EXPECT_THAT(test::Sliced(*AllFormats().Named("firefox"), folder.File("a.jfr"), {}, {}),
              AllOf(HasSubstr(R"("demo.Event, with its first 200 fields only")"),
                    HasSubstr(R"("f199":7)"), Not(HasSubstr(R"("f200")"))));
}

}  // namespace
}  // namespace jprof
