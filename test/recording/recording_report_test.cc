#include "recording/recording_report.h"

#include <gtest/gtest.h>

#include "answers/answer_text.h"

namespace jprof {
namespace {

std::string StopLine(const RecordingSummary& summary) {
  return AnswerText(SummaryAnswer(AnswerKind::kStopped, summary, "/o.jfr"));
}

TEST(RecordingReportTest, TheStopLineOfAnEmptyRecordingHasNoLists) {
  EXPECT_EQ(StopLine({}), "stopped: 0 samples, 0 lost in /o.jfr");
}

TEST(RecordingReportTest, TheStopLineSplitsSamplesByKindAndLossesByReason) {
  RecordingSummary summary;
  summary.recorded = {1000, 234};
  summary.lost[0] = {1, 2, 3};
  summary.lost_without_thread[0] = 4;
  EXPECT_EQ(StopLine(summary),
            "stopped: 1234 samples (1000 cpu, 234 wall), 10 lost (1 no walk buffer, "
            "2 stack storage full, 3 sample buffers full, 4 no thread slot) in /o.jfr");
}

TEST(RecordingReportTest, TheStopLineCountsSamplesWhoseStacksWereTooDeep) {
  RecordingSummary summary;
  summary.recorded = {7};
  summary.without_root[static_cast<size_t>(SampleKind::kAlloc)] = 30;
  summary.without_root[static_cast<size_t>(SampleKind::kMethod)] = 4;
  EXPECT_EQ(StopLine(summary),
            "stopped: 7 samples (7 cpu), 0 lost in /o.jfr (34 samples without the root of the "
            "stack, which was too deep to walk for each)");
}

TEST(RecordingReportTest, TheStopLineCountsMissingContexts) {
  RecordingSummary summary;
  summary.unstored_contexts = 12;
  summary.refused_contexts = 3;
  EXPECT_EQ(StopLine(summary),
            "stopped: 0 samples, 0 lost in /o.jfr (12 contexts not stored: more memlimit holds "
            "them, 3 contexts not kept: too many virtual threads have one, or no memory)");
}

TEST(RecordingReportTest, LeavesOutZeros) {
  RecordingSummary summary;
  summary.recorded = {0, 7};
  summary.lost[0] = {0, 0, 5};
  EXPECT_EQ(StopLine(summary),
            "stopped: 7 samples (7 wall), 5 lost (5 sample buffers full) in /o.jfr");
}

TEST(RecordingReportTest, NotesEachEventWithoutSamples) {
  const RequestedEvents both{
      SampleSettings().Enable(SampleKind::kCpu, 10'000'000).Enable(SampleKind::kWall, 50'000'000),
      "pool-*"};
  RecordingSummary summary;
  summary.recorded = {0, 7};
  const std::vector<std::string> notes = NoSamplesNotes(summary, both);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].rfind("warning: no samples of cpu", 0), 0u) << notes[0];
  EXPECT_NE(notes[0].find("pool-*"), std::string::npos) << notes[0];
  EXPECT_EQ(notes[0].find('\n'), std::string::npos) << notes[0];
  summary.lost[0] = {0, 1};
  EXPECT_TRUE(NoSamplesNotes(summary, both).empty()) << "what was lost is in the file";
  EXPECT_TRUE(NoSamplesNotes({}, {{}, ""}).empty()) << "nothing was asked for";
}

TEST(RecordingReportTest, WarnsIfMoreThanAPercentLacksFramesOrNames) {
  RecordingSummary summary;
  summary.recorded = {1000, 300};
  summary.with_gaps = {10, 0};
  EXPECT_TRUE(GapNotes(summary).empty());
  summary.with_gaps = {11, 100};
  summary.samples_with_gaps = {9, 9};
  EXPECT_TRUE(GapNotes(summary).empty()) << "perhaps by chance";
  summary.samples_with_gaps = {11, 10};
  EXPECT_EQ(GapNotes(summary),
            (std::vector<std::string>{"warning: in 1.1 % of cpu frames were not found or have no "
                                      "names: jprof view losses tells why",
                                      "warning: in 33.3 % of wall frames were not found or have no "
                                      "names: jprof view losses tells why"}));
}

TEST(RecordingReportTest, TheOutcomeTextIsTheStopLineWithoutTheFile) {
  RecordingSummary summary;
  summary.recorded = {0, 7};
  summary.unwritten_events = 12;
  const AgentAnswer stopped = SummaryAnswer(AnswerKind::kStopped, summary, "/in /o.jfr");
  EXPECT_EQ(OutcomeText(stopped), "stopped: 7 samples (7 wall), 0 lost (12 events not written)");
  EXPECT_EQ(stopped.facts.Text("file"), "/in /o.jfr");
}

TEST(RecordingReportTest, NotesEventsMissingFromTheFileAtTheEnd) {
  RecordingSummary summary;
  summary.unwritten_events = 12;
  EXPECT_EQ(StopLine(summary), "stopped: 0 samples, 0 lost in /o.jfr (12 events not written)");
  summary.unloaded_methods = 3;
  EXPECT_EQ(StopLine(summary),
            "stopped: 0 samples, 0 lost in /o.jfr (12 events not written, "
            "3 methods whose names were lost)");
}

TEST(RecordingReportTest, ReportsWindowsAndTheTimeOutside) {
  RecordingSummary summary;
  summary.recorded = {120, 7};
  summary.outside = {300, 20};
  EXPECT_EQ(StopLine(summary).find("window"), std::string::npos);
  summary.windows = {{3, 1'250'000'000}};
  EXPECT_EQ(StopLine(summary),
            "stopped: 127 samples (120 cpu, 7 wall), 0 lost, 3 windows of 1.25 s, 320 outside "
            "(300 cpu, 20 wall) in /o.jfr");
  summary.windows = {{1, 5'000}};
  EXPECT_NE(StopLine(summary).find("1 window of 5.00 us, 320 outside (300 cpu, 20 wall)"),
            std::string::npos);
}

TEST(RecordingReportTest, ReportsThatNoWindowBegan) {
  RecordingSummary summary;
  summary.outside = {300};
  summary.windows.emplace();
  RequestedEvents requested;
  requested.samples.Enable(SampleKind::kCpu, 10'000'000).Enable(SampleKind::kWall, 10'000'000);
  EXPECT_EQ(NoSamplesNotes(summary, requested),
            (std::vector<std::string>{"warning: no window: nothing that begins one was called"}));
}

}  // namespace
}  // namespace jprof
