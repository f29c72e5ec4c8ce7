#include "formats/page/page_writer.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/scoped_fd.h"
#include "formats/convert_to.h"
#include "formats/page/event_tables.h"
#include "formats/page/source_texts.h"
#include "formats/varint_stream.h"
#include "jfr/writer/event_settings.h"
#include "jfr/writer/jfr_writer.h"
#include "sources/source_finder.h"
#include "support/temp_folder.h"
#include "support/text.h"

namespace jprof {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kHarm[] = "</script><script>harm()</script>";

class PageWriterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    writer_ = std::move(JfrWriter::Open(input_, ChunkClock{1'700'000'000'000'000'000, 0})).value();
    settings_.WriteTo(*writer_, 0);
  }

  void Sample(const std::string& owner, const std::string& method, int line) {
    ConstantPools& pools = writer_->pools();
    const uint32_t type = pools.Class({.name = owner});
    const uint32_t key = pools.NewStackTraceKey();
    const FrameConstant frame{pools.Method({type, method, "()V"}), line, 0, FrameType::kC1Compiled};
    pools.SetStackTrace(key, Truncated::kNo, std::vector{frame});
    writer_->Append(ExecutionSample{++time_ns_, pools.Thread({1, 11, "os", "main", 1}), key});
  }

  void Property(const std::string& key, const std::string& value) {
    InitialSystemProperty property{};
    property.time_ns = ++time_ns_;
    property.key = key;
    property.value = value;
    writer_->Append(property);
  }

  uint32_t Thread(const std::string& name) {
    const int id = name == "left" ? 1 : 2;
    return writer_->pools().Thread({static_cast<uint64_t>(id), 11, "os", name, id});
  }
  void MonitorWait(const std::string& thread, const std::string& owner, int64_t duration_ns,
                   bool is_unfinished) {
    JavaMonitorEnter enter{};
    enter.time_ns = ++time_ns_;
    enter.duration_ns = duration_ns;
    enter.thread_key = Thread(thread);
    enter.class_key = writer_->pools().Class({.name = "a/Lock"});
    enter.waited_ns = duration_ns;
    enter.owner_key = Thread(owner);
    enter.is_unfinished = is_unfinished;
    writer_->Append(enter);
  }

  // Adds the number of stacks that a validation has compared.
  void Validated(std::string_view verdict, uint64_t stacks) {
    StackValidation event{};
    event.time_ns = ++time_ns_;
    event.layer = "signal";
    event.walker = "jprof";
    event.tier = "C2";
    event.verdict = verdict;
    event.is_judged = true;
    event.is_wrong = verdict != "equal";
    if (event.is_wrong) event.cause = "itable stub";
    event.stacks = stacks;
    writer_->Append(event);
  }

  // Returns a function that finds source files in the folder "sources". Source writes these files.
  FindSource Sources() {
    auto finder = std::make_shared<SourceFinder>();
    EXPECT_TRUE(finder->Add(folder_.File("sources")).ok());
    return [finder](std::string_view class_name, std::string_view file_name) {
      return finder->Find(class_name, file_name);
    };
  }

  std::string Source(const std::string& name, const std::string& text) {
    const std::string folder = folder_.File("sources");
    mkdir(folder.c_str(), 0755);
    mkdir((folder + "/a").c_str(), 0755);
    std::ofstream(folder + "/a/" + name) << text;
    return folder;
  }

  Result<ConvertReport> Convert(const FormatOptions& format) {
    if (writer_ != nullptr) {
      EXPECT_TRUE(std::exchange(writer_, nullptr)->Seal(time_ns_).ok());
    }
    const ScopedFd file(open(output_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    ConvertOptions options;
    options.format = format;
    options.lines = profile::LineNumbers::kKeep;
    return test::ConvertTo(input_, *AgentFormats().Named("html"), file.get(), options);
  }
  std::string Page(const FormatOptions& format = {}) {
    const auto report = Convert(format);
    EXPECT_TRUE(report.ok()) << report.error().message();
    std::ostringstream text;
    text << std::ifstream(output_, std::ios::binary).rdbuf();
    return text.str();
  }

  test::TempFolder folder_;
  const std::string input_ = folder_.File("in.jfr");
  const std::string output_ = folder_.File("out.html");
  EventSettings settings_;
  std::unique_ptr<JfrWriter> writer_;
  int64_t time_ns_ = 0;
};

TEST_F(PageWriterTest, WritesATablePerEventTypeWithItsCount) {
  Sample("a/B", "run", 3);
  for (int i = 0; i < 7; ++i) Property("key", "value");
  const std::string page = Page();
  EXPECT_THAT(page, HasSubstr(R"("name":"jdk.InitialSystemProperty",)"
                              R"("label":"Initial System Property","count":7)"));
  EXPECT_THAT(page, HasSubstr(R"("name":"jdk.ExecutionSample")"));
  EXPECT_THAT(page, HasSubstr(R"("texts":["value"])"));
}

TEST_F(PageWriterTest, KeepsTheFirstEventsAndCountsAll) {
  for (size_t i = 0; i < EventTables::kMaxRows + 5; ++i) Property("key" + std::to_string(i), "v");
  const std::string page = Page();
  EXPECT_THAT(page, HasSubstr("\"count\":" + std::to_string(EventTables::kMaxRows + 5)));
  EXPECT_THAT(page, HasSubstr("\"key" + std::to_string(EventTables::kMaxRows - 1) + "\""));
  EXPECT_THAT(page, Not(HasSubstr("\"key" + std::to_string(EventTables::kMaxRows) + "\"")));
}

// Returns the text of a column of `numbers` in the page.
std::string Column(const std::vector<uint64_t>& numbers) {
  VarintStream encoded;
  for (const uint64_t number : numbers) encoded.Add(1 + 2 * number);
  return R"("numbers":")" + encoded.Base64() + '"';
}

TEST_F(PageWriterTest, SumsWhoWaitedForWhomOverAllWaits) {
  for (size_t i = 0; i < EventTables::kMaxRows + 5; ++i) MonitorWait("left", "right", 2'000, false);
  MonitorWait("right", "left", 7'000, false);
  EXPECT_THAT(Page(),
              AllOf(HasSubstr(R"("name":"blockers","label":"Who waited for whom","count":2)"),
                    HasSubstr(Column({10'010'000, 7'000})), HasSubstr(Column({5'005, 1})),
                    Not(HasSubstr("deadlock"))));
}

TEST_F(PageWriterTest, PutsTheWalkersOfAValidationFirst) {
  Property("key", "value");
  for (size_t i = 0; i < EventTables::kMaxRows + 5; ++i) Validated("missing", 2);
  Validated("equal", 10);
  constexpr uint64_t kWrong = 2 * (EventTables::kMaxRows + 5);
  EXPECT_THAT(
      Page(),
      AllOf(HasSubstr(R"("eventsFirst":"validation","events":[{"name":"validation",)"
                      R"("label":"Validation of stacks","count":2)"),
            HasSubstr(Column({kWrong + 10, kWrong + 10})), HasSubstr(Column({kWrong, kWrong})),
            HasSubstr(R"("name":"differences","label":"How stacks differ","count":1)")));
}

TEST_F(PageWriterTest, HasNoTableOfWalkersWithoutAValidation) {
  Property("key", "value");
  EXPECT_THAT(Page(), AllOf(HasSubstr("jdk.InitialSystemProperty"),
                            Not(HasSubstr("\"eventsFirst\"")), Not(HasSubstr("\"validation\""))));
}

TEST_F(PageWriterTest, ReportsADeadlockNextToTheTables) {
  MonitorWait("left", "right", 2'000, true);
  MonitorWait("right", "left", 7'000, true);
  EXPECT_THAT(Page(), HasSubstr("deadlock: left waits for right, right waits for left"));
}

TEST_F(PageWriterTest, CutsALongNameOfABlocker) {
  const std::string name(EventTables::kMaxText + 10, 'x');
  MonitorWait("left", name, 2'000, false);
  EXPECT_THAT(Page(), AllOf(HasSubstr(name.substr(0, EventTables::kMaxText) + "…"),
                            HasSubstr(R"("name":"blockers")"), Not(HasSubstr(name))));
}

TEST_F(PageWriterTest, CutsLongNamesInADeadlock) {
  const std::string name(EventTables::kMaxText + 10, 'x');
  MonitorWait("left", name, 2'000, true);
  MonitorWait(name, "left", 2'000, true);
  const std::string cut = name.substr(0, EventTables::kMaxText) + "…";
  EXPECT_THAT(Page(),
              HasSubstr("deadlock: left waits for " + cut + ", " + cut + " waits for left"));
}

TEST_F(PageWriterTest, CutsALongEventTextBetweenCharacters) {
  std::string text = "x";
  while (text.size() < EventTables::kMaxText + 10) text += "ä";
  Property("key", text);
  const std::string cut = text.substr(0, EventTables::kMaxText - 1);
  EXPECT_THAT(Page(), HasSubstr("\"" + cut + "…\""));
}

TEST_F(PageWriterTest, NoTextEndsTheScriptsOfThePage) {
  Sample("a/Evil", kHarm, 1);
  Sample("a/B", "run", 1);
  Property(kHarm, kHarm);
  const size_t usual = test::CountOf(Page(), "</script>");
  Source("B.java", kHarm);
  Source("Evil.java", kHarm);
  const std::string page = Page({.find_source = Sources(), .editor = "http://x/</script>{path}"});
  EXPECT_THAT(page, HasSubstr(R"(\u003c/script\u003e)"));
  EXPECT_EQ(test::CountOf(page, "</script>"), usual);
  EXPECT_EQ(usual, 2u);  // ends of the data and of the scripts
  EXPECT_EQ(test::CountOf(page, "harm()</script>"), 0u);
}

TEST_F(PageWriterTest, IncludesSourcesOfMethodsWithSamples) {
  Sample("a/B$Inner", "run", 3);
  const std::string folder = Source("B.java", "class B {}\n");
  Source("Forgotten.java", "class Forgotten {}\n");
  const std::string page = Page({.find_source = Sources(), .editor = "idea"});
  EXPECT_THAT(page, HasSubstr("\"name\":\"a/B.java\",\"path\":\"" + folder +
                              "/a/B.java\",\"text\":\"class B {}\\u000a\""));
  EXPECT_THAT(page, Not(HasSubstr("Forgotten")));
  EXPECT_THAT(page, HasSubstr("\"editor\":\"idea://open?file={path}\\u0026line={line}\""));
}

TEST_F(PageWriterTest, OmitsSourcesBeyondTheLimitAndReportsIt) {
  Sample("a/B", "run", 3);
  Sample("a/C", "run", 3);
  Source("B.java", std::string(SourceTexts::kMaxFileBytes + 1, 'x'));
  Source("C.java", "class C {}");
  const std::string page = Page({.find_source = Sources()});
  EXPECT_THAT(page, HasSubstr("The page has the 1 source files with the most samples; those of 1 "
                              "classes are left out."));
  EXPECT_THAT(page, HasSubstr("class C {}"));
  EXPECT_LT(page.size(), SourceTexts::kMaxFileBytes);
}

TEST_F(PageWriterTest, AnUnknownEditorIsAnError) {
  Sample("a/B", "run", 3);
  const auto editor = Convert({.editor = "ed"});
  ASSERT_FALSE(editor.ok());
  EXPECT_THAT(editor.error().message(), HasSubstr("'ed' names no editor"));
}

}  // namespace
}  // namespace jprof
