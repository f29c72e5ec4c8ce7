#include "jfr/writer/jfr_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <numeric>
#include <string>

#include "base/scaled_text.h"
#include "jfr/writer/event_settings.h"
#include "jfr/writer/jfr_file.h"
#include "support/temp_folder.h"

namespace jprof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t kEpoch = 1'700'000'000'000'000'000;
constexpr int64_t kBase = 5'000'000'000;
constexpr int64_t kMillis = 1'000'000;

class JfrWriterTest : public ::testing::Test {
 protected:
  std::unique_ptr<JfrWriter> Open() {
    auto writer = JfrWriter::Open(path_, ChunkClock{kEpoch, kBase});
    EXPECT_TRUE(writer.ok()) << writer.error().message();
    return std::move(writer).value();
  }
  std::vector<test::ParsedChunk> Chunks() const {
    return test::ParseRecording(test::ReadFile(path_));
  }

  test::TempFolder folder_;
  const std::string path_ = folder_.File("a.jfr");
};

TEST_F(JfrWriterTest, TheHeaderDescribesTheChunk) {
  auto writer = Open();
  writer->Append(DataLoss{.time_ns = kBase + 2 * kMillis});
  ASSERT_TRUE(writer->Seal(kBase + 5 * kMillis).ok());

  const std::string bytes = test::ReadFile(path_);
  const test::ParsedChunk chunk = Chunks().at(0);
  EXPECT_EQ(chunk.size, bytes.size());
  EXPECT_EQ(chunk.metadata_offset, 68u);
  EXPECT_EQ(chunk.start_epoch_ns, static_cast<uint64_t>(kEpoch));
  EXPECT_EQ(chunk.duration_ns, static_cast<uint64_t>(5 * kMillis));
  EXPECT_EQ(chunk.start_ticks, 0u);
  EXPECT_EQ(chunk.ticks_per_second, 10'000'000u);
  EXPECT_EQ(chunk.state, 0u);
  EXPECT_EQ(chunk.flags, 1u);
}

TEST_F(JfrWriterTest, EventSizesAddUpToTheChunk) {
  auto writer = Open();
  for (int i = 0; i < 20'000; ++i) {
    writer->Append(ExecutionSample{.time_ns = kBase + i * kMillis, .thread_key = 1});
  }
  ASSERT_TRUE(writer->Seal(0).ok());
  // The parser requires each size to lead to the next event, and no bytes after the last event.
  EXPECT_EQ(Chunks().at(0).EventsNamed("jdk.ExecutionSample").size(), 20'000u);
  EXPECT_EQ(Chunks().at(0).size, test::ReadFile(path_).size());
}

TEST_F(JfrWriterTest, TimesAreTicksOfAHundredNanosecondsSinceTheBase) {
  auto writer = Open();
  writer->Append(DataLoss{kBase + 1'234'567, 3, 4});
  writer->Append(
      WallClockSample{kBase + kMillis, 7, 0, ThreadState::kSleeping, 2, 20 * kMillis + 99});
  ASSERT_TRUE(writer->Seal(0).ok());
  const std::string bytes = test::ReadFile(path_);
  const test::ParsedChunk chunk = Chunks().at(0);
  EXPECT_EQ(test::FieldsText(chunk, bytes, chunk.events.at(0)), "12345,3,4");
  EXPECT_EQ(test::FieldsText(chunk, bytes, chunk.events.at(1)), "10000,#7,#0,#3,2,200000");
}

TEST_F(JfrWriterTest, AppendedFieldsFollowThoseOfTheTableWithTheirValues) {
  auto writer = Open();
  ASSERT_TRUE(writer->Seal(kBase).ok());
  EventDeclarations declarations;
  declarations.AppendField(JfrType::kDataLoss, {"spanId", JfrType::kLong});
  declarations.AppendField(JfrType::kDataLoss, {"tenant", JfrType::kString});
  writer->Declare(std::move(declarations));
  ASSERT_TRUE(writer->StartChunk(kBase).ok());
  writer->Append(DataLoss{kBase, 3, 4}, int64_t{77}, std::string_view("blue"));
  writer->Append(DataLoss{kBase, 5, 6}, int64_t{78});
  writer->Append(DataLoss{kBase, 7, 8});
  const std::string of_two_bytes_of_size(200, 'x');
  writer->Append(DataLoss{kBase, 9, 10}, int64_t{79}, std::string_view(of_two_bytes_of_size));
  ASSERT_TRUE(writer->Seal(kBase).ok());

  const std::string bytes = test::ReadFile(path_);
  const test::ParsedChunk first = Chunks().at(0);
  const test::ParsedChunk chunk = Chunks().at(1);
  EXPECT_EQ(first.types.at(first.TypeNamed("jdk.DataLoss")).fields.size(), 3u);
  const auto& fields = chunk.types.at(chunk.TypeNamed("jdk.DataLoss")).fields;
  ASSERT_EQ(fields.size(), 6u);
  EXPECT_EQ(fields[3].name, "appended");
  EXPECT_EQ(fields[4].name, "spanId");
  EXPECT_EQ(fields[5].name, "tenant");
  std::vector<std::string> texts;
  for (const test::ParsedEvent& event : chunk.EventsNamed("jdk.DataLoss")) {
    texts.push_back(test::FieldsText(chunk, bytes, event));
  }
  EXPECT_THAT(texts,
              ElementsAre("0,3,4,appended,77,blue", "0,5,6,appended,78,<null>",
                          "0,7,8,appended,0,<null>", "0,9,10,appended,79," + of_two_bytes_of_size));
}

TEST_F(JfrWriterTest, WritesTheFirstChunkIntoTheClaimedFileOnce) {
  auto writer = std::move(JfrWriter::Claim(path_, ChunkClock{kEpoch, kBase})).value();
  const std::string open_file = folder_.File(*folder_.Names().begin());
  struct stat claimed;
  ASSERT_EQ(stat(open_file.c_str(), &claimed), 0);
  EXPECT_EQ(claimed.st_size, 0) << "nothing is declared yet";
  EXPECT_FALSE(JfrWriter::Claim(path_, ChunkClock{kEpoch, kBase}).ok()) << "by this process";

  EventDeclarations declarations;
  declarations.Declare(JfrType::kDataLoss);
  writer->Declare(std::move(declarations));
  ASSERT_TRUE(writer->StartChunk(kBase).ok());
  struct stat started;
  ASSERT_EQ(stat(open_file.c_str(), &started), 0);
  EXPECT_EQ(started.st_ino, claimed.st_ino);
  EXPECT_EQ(started.st_size, writer->chunk_bytes());
  ASSERT_TRUE(writer->Seal(kBase).ok());
  EXPECT_EQ(Chunks().size(), 1u);
  EXPECT_THAT(folder_.Names(), ElementsAre("a.jfr"));
}

TEST_F(JfrWriterTest, DeclaresTheChosenEventsAndEveryOtherType) {
  EventDeclarations declarations;
  declarations.Declare(JfrType::kDataLoss);
  auto writer = std::move(JfrWriter::Claim(path_, ChunkClock{kEpoch, kBase})).value();
  writer->Declare(std::move(declarations));
  ASSERT_TRUE(writer->StartChunk(kBase).ok());
  writer->Append(DataLoss{kBase, 3, 4});
  writer->Append(OSInformation{kBase, "Linux"});
  EXPECT_EQ(writer->DroppedEvents(), 1u);
  ASSERT_TRUE(writer->Seal(kBase).ok());
  std::vector<std::string> events;
  size_t others = 0;
  const test::ParsedChunk chunk = Chunks().at(0);
  for (const auto& [id, type] : chunk.types) {
    if (type.super_type == "jdk.jfr.Event") {
      if (id < kJfrTypeIds) events.push_back(type.name);
    } else {
      ++others;
    }
  }
  EXPECT_THAT(events, ElementsAre("jdk.DataLoss"));
  EXPECT_EQ(chunk.events.size(), 1u);
  size_t others_of_table = 0;
  for (const JfrRow row : kJfrTypeTable) {
    others_of_table += row.kind != JfrKind::kField && row.kind != JfrKind::kEvent;
  }
  EXPECT_EQ(others, others_of_table);
}

TEST_F(JfrWriterTest, EventsKeepTheTimesAtWhichTheyStarted) {
  auto writer = Open();
  writer->Append(DataLoss{.time_ns = kBase - 1});
  writer->Append(DataLoss{.time_ns = kBase - 2 * kMillis});
  writer->Append(DataLoss{.time_ns = kBase + 9 * kMillis});
  ASSERT_TRUE(writer->Seal(kBase + 5 * kMillis).ok());
  ASSERT_TRUE(writer->StartChunk(kBase + 5 * kMillis).ok());
  writer->Append(DataLoss{.time_ns = kBase + kMillis});
  ASSERT_TRUE(writer->Seal(kBase).ok());

  const std::string bytes = test::ReadFile(path_);
  const auto chunks = Chunks();
  EXPECT_EQ(chunks.at(0).duration_ns, static_cast<uint64_t>(9 * kMillis));
  EXPECT_EQ(chunks.at(1).start_ticks, 90'001u);
  EXPECT_EQ(test::FieldsText(chunks[0], bytes, chunks[0].events.at(0)), "-1,0,0");
  EXPECT_EQ(test::FieldsText(chunks[0], bytes, chunks[0].events.at(1)), "-20000,0,0");
  EXPECT_EQ(test::FieldsText(chunks[1], bytes, chunks[1].events.at(0)), "10000,0,0");
}

// An object's allocation time lies before the time of its snapshot, and before the chunk's start.
TEST_F(JfrWriterTest, WritesOtherTimesOfAnEventUnchanged) {
  auto writer = Open();
  ASSERT_TRUE(writer->Seal(kBase + 5 * kMillis).ok());
  ASSERT_TRUE(writer->StartChunk(kBase + 5 * kMillis).ok());
  LiveObject object;
  object.time_ns = kBase + 8 * kMillis;
  object.weight_bytes = 64;
  object.allocation_ns = kBase + 2 * kMillis;
  writer->Append(object);
  ASSERT_TRUE(writer->Seal(kBase).ok());
  const test::ParsedChunk chunk = Chunks().at(1);
  EXPECT_EQ(test::FieldsText(chunk, test::ReadFile(path_), chunk.events.at(0)),
            "80000,#0,#0,#0,64,20000");
}

TEST_F(JfrWriterTest, ChunkStartsIncreaseStrictlyAndAgreeWithTheTicks) {
  auto writer = Open();
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(writer->Seal(kBase).ok());
    ASSERT_TRUE(writer->StartChunk(kBase).ok());
  }
  ASSERT_TRUE(writer->Seal(kBase).ok());
  const auto chunks = Chunks();
  ASSERT_EQ(chunks.size(), 6u);
  EXPECT_EQ(writer->sealed_chunks(), 6);
  for (size_t i = 1; i < chunks.size(); ++i) {
    EXPECT_GT(chunks[i].start_epoch_ns, chunks[i - 1].start_epoch_ns);
    EXPECT_EQ(chunks[i].start_epoch_ns, kEpoch + chunks[i].start_ticks * 100);
  }
}

TEST_F(JfrWriterTest, ARecordingWithoutEventsIsValid) {
  ASSERT_TRUE(Open()->Seal(kBase + kMillis).ok());
  EXPECT_THAT(Chunks().at(0).events, IsEmpty());
}

TEST_F(JfrWriterTest, LongStringsAreKeptWhole) {
  const std::string longest(65'535, 'x');
  auto writer = Open();
  writer->Append(InitialSystemProperty{kBase, "key", longest});
  writer->Append(InitialSystemProperty{kBase, longest, ""});
  writer->Append(ActiveRecording{.time_ns = kBase, .id = 1, .name = "name", .disk = true});
  ASSERT_TRUE(writer->Seal(kBase).ok());
  const std::string bytes = test::ReadFile(path_);
  const test::ParsedChunk chunk = Chunks().at(0);
  EXPECT_EQ(test::FieldsText(chunk, bytes, chunk.events.at(0)), "0,key," + longest);
  EXPECT_EQ(test::FieldsText(chunk, bytes, chunk.events.at(1)), "0," + longest + ",");
  EXPECT_EQ(test::FieldsText(chunk, bytes, chunk.events.at(2)), "0,1,name,<null>,true,0,0,0,0,0");
}

TEST_F(JfrWriterTest, TheTargetIsUntouchedUntilTheChunkIsSealed) {
  std::ofstream(path_) << "old";
  auto writer = Open();
  for (int i = 0; i < 50'000; ++i) writer->Append(DataLoss{.time_ns = kBase});
  EXPECT_EQ(test::ReadFile(path_), "old");
  EXPECT_EQ(folder_.Names().size(), 2u);
  ASSERT_TRUE(writer->Seal(kBase).ok());
  EXPECT_EQ(Chunks().at(0).events.size(), 50'000u);
  EXPECT_THAT(folder_.Names(), ElementsAre("a.jfr"));
}

TEST_F(JfrWriterTest, AnUnsealedChunkLeavesNothingBehind) {
  Open();
  EXPECT_THAT(folder_.Names(), IsEmpty());
}

TEST_F(JfrWriterTest, ReplacesTheSideFileOfAKilledWriter) {
  std::ofstream(path_) << "old";
  const pid_t child = fork();
  if (child == 0) {
    auto writer = Open();
    writer->Append(DataLoss{.time_ns = kBase});
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(test::ReadFile(path_), "old");

  // Simulates that this process has the pid of the killed one, which is usual in containers.
  const std::string left_over = folder_.File(".a.jfr." + std::to_string(child) + ".open");
  ASSERT_EQ(rename(left_over.c_str(),
                   folder_.File(".a.jfr." + std::to_string(getpid()) + ".open").c_str()),
            0);
  ASSERT_TRUE(Open()->Seal(kBase).ok());
  EXPECT_EQ(Chunks().size(), 1u);
  EXPECT_THAT(folder_.Names(), ElementsAre("a.jfr"));
}

TEST_F(JfrWriterTest, ASecondWriterOfThisProcessIsRefused) {
  auto first = Open();
  const auto second = JfrWriter::Open(path_, ChunkClock{});
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().message(), HasSubstr("is being written by another recording"));
  EXPECT_TRUE(first->Seal(kBase).ok());
}

TEST_F(JfrWriterTest, TheFileHasTheModeOfANewFile) {
  const mode_t old_mask = umask(027);
  ASSERT_TRUE(Open()->Seal(kBase).ok());
  umask(old_mask);
  struct stat info;
  ASSERT_EQ(stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

TEST_F(JfrWriterTest, WritesThroughASymbolicLink) {
  std::ofstream(folder_.File("real.jfr")) << "old";
  ASSERT_EQ(symlink("real.jfr", path_.c_str()), 0);
  ASSERT_TRUE(Open()->Seal(kBase).ok());
  EXPECT_EQ(test::ParseRecording(test::ReadFile(folder_.File("real.jfr"))).size(), 1u);
  struct stat info;
  ASSERT_EQ(lstat(path_.c_str(), &info), 0);
  EXPECT_TRUE(S_ISLNK(info.st_mode));
}

TEST_F(JfrWriterTest, RefusesPathsThatAreNotFiles) {
  for (const std::string path : {"/dev/null", "/tmp/", "/tmp", "/no/such/folder/a.jfr", ""}) {
    const auto writer = JfrWriter::Open(path, ChunkClock{});
    ASSERT_FALSE(writer.ok()) << path;
    EXPECT_THAT(writer.error().message(), HasSubstr(path.substr(0, 3)));
  }
}

class ChangedFileTest : public JfrWriterTest {
 protected:
  // Writes two chunks of one event each. Calls `change` before the second chunk is sealed.
  std::unique_ptr<JfrWriter> Record(const std::function<void()>& change) {
    auto writer = Open();
    writer->Append(DataLoss{.time_ns = kBase});
    EXPECT_TRUE(writer->Seal(kBase).ok());
    EXPECT_TRUE(writer->StartChunk(kBase).ok());
    writer->Append(DataLoss{.time_ns = kBase});
    change();
    const Status sealed = writer->Seal(kBase);
    EXPECT_TRUE(sealed.ok()) << sealed.error().message();
    EXPECT_EQ(writer->DroppedEvents(), 0u);
    return writer;
  }
  static size_t ChunksIn(const std::string& path) {
    return test::ParseRecording(test::ReadFile(path)).size();
  }
};

TEST_F(ChangedFileTest, ContinuesInANewFileWhenItsFileIsCut) {
  int64_t written = 0;
  auto writer = Record([&] {
    written = static_cast<int64_t>(test::ReadFile(path_).size());
    ASSERT_EQ(truncate(path_.c_str(), 10), 0);
  });
  EXPECT_EQ(test::ReadFile(path_).size(), 10u);
  EXPECT_EQ(writer->path(), folder_.File("a-2.jfr"));
  const auto given_up = writer->TakeAbandonedFile();
  ASSERT_TRUE(given_up);
  EXPECT_EQ(given_up->path, path_);
  EXPECT_EQ(given_up->change.text, "was cut");
  EXPECT_EQ(given_up->change.lost_bytes, written - 10);
  EXPECT_FALSE(writer->TakeAbandonedFile());

  // The next chunk is appended to the new file, and has a jdk.DataLoss event.
  ASSERT_TRUE(writer->StartChunk(kBase).ok());
  ASSERT_TRUE(writer->Seal(kBase).ok());
  const std::string bytes = test::ReadFile(folder_.File("a-2.jfr"));
  const auto chunks = test::ParseRecording(bytes);
  ASSERT_EQ(chunks.size(), 2u);
  const std::string lost = std::to_string(written - 10);
  EXPECT_THAT(test::FieldsText(chunks[1], bytes, chunks[1].events.at(0)),
              HasSubstr("," + lost + "," + lost));
  EXPECT_THAT(folder_.Names(), ElementsAre("a-2.jfr", "a.jfr"));
}

TEST_F(ChangedFileTest, LeavesAReplacedOrWrittenFileUnchanged) {
  std::ofstream(folder_.File("a-2.jfr")) << "taken";
  auto writer = Record([&] {
    ASSERT_EQ(unlink(path_.c_str()), 0);
    std::ofstream(path_) << "theirs";
  });
  EXPECT_EQ(test::ReadFile(path_), "theirs");
  EXPECT_EQ(test::ReadFile(folder_.File("a-2.jfr")), "taken");
  EXPECT_EQ(writer->path(), folder_.File("a-3.jfr"));
  EXPECT_EQ(ChunksIn(writer->path()), 1u);

  ASSERT_TRUE(writer->StartChunk(kBase).ok());
  std::ofstream(writer->path(), std::ios::app) << "more";
  ASSERT_TRUE(writer->Seal(kBase).ok());
  EXPECT_EQ(writer->path(), folder_.File("a-4.jfr"));
  EXPECT_EQ(ChunksIn(writer->path()), 1u);
}

TEST_F(ChangedFileTest, AMovedFileKeepsItsChunksAndFreesItsName) {
  auto writer =
      Record([&] { ASSERT_EQ(rename(path_.c_str(), folder_.File("kept.jfr").c_str()), 0); });
  EXPECT_EQ(writer->path(), path_);
  EXPECT_EQ(ChunksIn(path_), 1u);
  EXPECT_EQ(ChunksIn(folder_.File("kept.jfr")), 1u);
  EXPECT_EQ(writer->TakeAbandonedFile()->change.lost_bytes, 0);
}

TEST_F(JfrWriterTest, SettingsRepeatInEveryChunkButEnabledAppearsOncePerFile) {
  EventSettings settings;
  settings.Enable(JfrType::kExecutionSample);
  settings.Set(JfrType::kExecutionSample, "period", DurationText(10 * kMillis));
  auto writer = Open();
  settings.WriteTo(*writer, kBase);
  ASSERT_TRUE(writer->Seal(kBase).ok());
  ASSERT_TRUE(writer->StartChunk(kBase).ok());
  settings.Enable(JfrType::kWallClockSample);
  settings.Enable(JfrType::kExecutionSample);
  settings.Set(JfrType::kExecutionSample, "period", DurationText(20 * kMillis));
  settings.WriteTo(*writer, kBase);
  ASSERT_TRUE(writer->Seal(kBase).ok());

  const std::string bytes = test::ReadFile(path_);
  std::vector<std::string> texts;
  for (const test::ParsedChunk& chunk : Chunks()) {
    for (const test::ParsedEvent& event : chunk.events) {
      const std::string text = test::FieldsText(chunk, bytes, event);
      texts.push_back(text.substr(text.find(',') + 1));  // the text without the time
    }
  }
  const std::string cpu = std::to_string(TypeId(JfrType::kExecutionSample));
  const std::string wall = std::to_string(TypeId(JfrType::kWallClockSample));
  EXPECT_THAT(texts, ElementsAre(cpu + ",enabled,true", cpu + ",period,10 ms",
                                 wall + ",enabled,true", cpu + ",period,20 ms"));
}

TEST_F(JfrWriterTest, AnotherFileEnablesEachTypeOnceMore) {
  EventSettings settings;
  settings.Enable(JfrType::kExecutionSample);
  for (int file = 0; file < 2; ++file) {
    auto writer = Open();
    settings.BeginFile();
    settings.WriteTo(*writer, kBase);
    ASSERT_TRUE(writer->Seal(kBase).ok());
    ASSERT_TRUE(writer->StartChunk(kBase).ok());
    settings.WriteTo(*writer, kBase);
    ASSERT_TRUE(writer->Seal(kBase).ok());
    const auto chunks = Chunks();
    EXPECT_EQ(chunks.at(0).EventsNamed("jdk.ActiveSetting").size(), 1u);
    EXPECT_TRUE(chunks.at(1).EventsNamed("jdk.ActiveSetting").empty());
  }
}

TEST_F(JfrWriterTest, ALostChunkDoesNotTakeTheEnabledSettingsWithIt) {
  EventSettings settings;
  settings.Enable(JfrType::kExecutionSample);
  auto writer = Open();
  ASSERT_TRUE(writer->Seal(kBase).ok());
  ASSERT_TRUE(writer->StartChunk(kBase).ok());
  settings.WriteTo(*writer, kBase);
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit whole{};
  getrlimit(RLIMIT_FSIZE, &whole);
  const rlimit little{100, whole.rlim_max};
  setrlimit(RLIMIT_FSIZE, &little);
  EXPECT_FALSE(writer->Seal(kBase).ok());
  setrlimit(RLIMIT_FSIZE, &whole);
  std::signal(SIGXFSZ, before);
  ASSERT_TRUE(writer->StartChunk(kBase).ok());
  settings.WriteTo(*writer, kBase);
  ASSERT_TRUE(writer->Seal(kBase).ok());
  EXPECT_EQ(Chunks().at(1).EventsNamed("jdk.ActiveSetting").size(), 1u);
}

}  // namespace
}  // namespace jprof
