// The view spans, of spans that the test has made: with scopes, with samples, with both.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/scoped_fd.h"
#include "formats/output_stream.h"
#include "profile/slices/read_slices.h"
#include "recording/jfr/event_settings.h"
#include "recording/jfr/jfr_writer.h"
#include "support/temp_folder.h"
#include "views/json_rows.h"
#include "views/view_table.h"

namespace jprof {
namespace {

using test::JsonRow;
using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr int64_t kMillis = 1'000'000;

struct Ids {
  int64_t span = 0, root = 0;
  std::string tenant = {};
};

class SpansViewTest : public ::testing::Test {
 protected:
  void SetUp() override {
    writer_ = std::move(JfrWriter::Claim(path_, ChunkClock{1'700'000'000'000'000'000, 0})).value();
    EventDeclarations declarations = EventDeclarations::All();
    for (const JfrType event : {JfrType::kExecutionSample, JfrType::kSpan}) {
      declarations.AppendField(event, {"spanId", JfrType::kLong});
      declarations.AppendField(event, {"localRootSpanId", JfrType::kLong});
      declarations.AppendField(event, {"traceId", JfrType::kString});
      declarations.AppendField(event, {"tenant", JfrType::kString});
    }
    writer_->Declare(std::move(declarations));
    ASSERT_TRUE(writer_->StartChunk(writer_->clock().MonotonicNanos(0)).ok());
    EventSettings settings;
    settings.Enable(JfrType::kExecutionSample);
    settings.Enable(JfrType::kSpan);
    settings.WriteTo(*writer_, 0);
    thread_ = writer_->pools().Thread({1, 11, "os", "main", 1});
    stack_ = writer_->pools().NewStackTraceKey();
    const FrameConstant frame{
        writer_->pools().Method({writer_->pools().Class({.name = "A"}), "run", "()V"}), 1, 0,
        FrameType::kC1Compiled};
    writer_->pools().SetStackTrace(stack_, Truncated::kNo, std::vector{frame});
  }

  void Sample(int64_t at_ms, const Ids& ids) {
    writer_->Append(ExecutionSample{at_ms * kMillis, thread_, stack_}, ids.span, ids.root,
                    std::string_view(), Tenant(ids));
  }
  void Scope(int64_t from_ms, int64_t to_ms, const Ids& ids) {
    Span event;
    event.time_ns = from_ms * kMillis;
    event.duration_ns = (to_ms - from_ms) * kMillis;
    event.thread_key = thread_;
    writer_->Append(event, ids.span, ids.root, std::string_view(), Tenant(ids));
  }

  std::vector<JsonRow> View(const profile::SliceOptions& part = {}) {
    if (writer_ != nullptr) {
      EXPECT_TRUE(std::exchange(writer_, nullptr)->Seal(1000 * kMillis).ok());
    }
    FormatOptions options;
    options.table.is_json = true;
    const auto view = FindView("spans")->make(options);
    std::vector<profile::RecordingInput> inputs(1);
    inputs[0].fd = ScopedFd(open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    const auto slice = profile::Slice::Parse(part, nullptr);
    EXPECT_TRUE(slice.ok());
    profile::Profile profile;
    const auto read = ReadSlices(inputs, slice.value(), {}, profile, *view);
    EXPECT_TRUE(read.ok()) << read.error().message();
    const ScopedFd fd(memfd_create("view", MFD_CLOEXEC));
    OutputStream out(fd.get(), "view");
    EXPECT_TRUE(view->Write(profile, {}, out).ok());
    EXPECT_TRUE(out.Finish().ok());
    std::string text(static_cast<size_t>(lseek(fd.get(), 0, SEEK_END)), '\0');
    EXPECT_EQ(pread(fd.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    return test::JsonRows(text);
  }

  static std::string_view Tenant(const Ids& ids) {
    return ids.tenant.empty() ? std::string_view() : std::string_view(ids.tenant);
  }

  test::TempFolder folder_;
  const std::string path_ = folder_.File("a.jfr");
  std::unique_ptr<JfrWriter> writer_;
  uint32_t thread_ = 0, stack_ = 0;
};

std::vector<std::string> Spans(const std::vector<JsonRow>& rows) {
  std::vector<std::string> texts;
  for (const JsonRow& row : rows) {
    texts.push_back(row.at("spanId").substr(12) + " " + row.at("duration") + " " + row.at("cpu"));
  }
  return texts;
}

TEST_F(SpansViewTest, ScopesTellHowLongSpansTookAndSamplesWhatTheyUsed) {
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

TEST_F(SpansViewTest, WithoutScopesSpansTookAtLeastFromTheirFirstToTheirLastSample) {
  Sample(10, {.span = 1, .root = 1});
  Sample(30, {.span = 1, .root = 1});
  const std::vector<JsonRow> rows = View();
  EXPECT_THAT(Spans(rows), ElementsAre("0001 2e+07 2"));
  EXPECT_EQ(rows[0].count("atLeast"), 0u);
}

TEST_F(SpansViewTest, ScopesAreChosenAsSamplesAreByTheirSpanTheirRootAndATag) {
  Sample(10, {.span = 1, .root = 1, .tenant = "acme"});
  Scope(5, 40, {.span = 1, .root = 1, .tenant = "acme"});
  Scope(60, 62, {.span = 2, .root = 1, .tenant = "zebra"});
  Scope(70, 73, {.span = 3, .root = 3, .tenant = "acme"});
  EXPECT_THAT(View(), SizeIs(3));
  EXPECT_THAT(Spans(View({.span = "1"})), ElementsAre("0001 3.5e+07 1", "0002 2e+06 0"));
  EXPECT_THAT(Spans(View({.tag = "tenant=acme"})), ElementsAre("0001 3.5e+07 1", "0003 3e+06 0"));
  EXPECT_THAT(Spans(View({.span = "1", .tag = "tenant=acme"})), ElementsAre("0001 3.5e+07 1"));
}

}  // namespace
}  // namespace jprof
