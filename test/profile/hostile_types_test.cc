// Tests recordings that follow the format but lie about the meaning of their fields, and small
// recordings that could take very much memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "jfr/reader/jfr_string.h"
#include "profile/chunk_builder.h"
#include "profile/sample_reader.h"
#include "profile/sample_table.h"
#include "support/peak_memory.h"
#include "support/sanitizer.h"
#include "support/temp_folder.h"

namespace jprof::profile {
namespace {

using test::BuiltField;
using test::Bytes;
using test::ChunkBuilder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint64_t kConstants = 100;  // of each type
constexpr int kLittleMemoryMb = 60;

struct SampleType {
  uint64_t id;
  std::string name, super_type;
  std::vector<BuiltField> fields;
};

// Returns the types of test::AddSampleTypes, with an event that has a class.
std::vector<SampleType> SampleTypes() {
  return {
      {30,
       "jdk.ObjectAllocationSample",
       "jdk.jfr.Event",
       {{"startTime", test::kLongId, test::kPlain, test::kTimestampId, "TICKS"},
        {"eventThread", 31, test::kInPool},
        {"stackTrace", 32, test::kInPool},
        {"objectClass", 35, test::kInPool},
        {"weight", test::kLongId}}},
      {31, "java.lang.Thread", "", {{"osName", test::kStringId}, {"osThreadId", test::kLongId}}},
      {32,
       "jdk.types.StackTrace",
       "",
       {{"truncated", test::kBooleanId}, {"frames", 33, test::kArray}}},
      {33,
       "jdk.types.StackFrame",
       "",
       {{"method", 34, test::kInPool}, {"lineNumber", test::kIntId}, {"type", 37, test::kInPool}}},
      {34, "jdk.types.Method", "", {{"type", 35, test::kInPool}, {"name", 36, test::kInPool}}},
      {35, "java.lang.Class", "", {{"name", 36, test::kInPool}}},
      {36, "jdk.types.Symbol", "", {{"string", test::kStringId}}},
      {37, "jdk.types.FrameType", "", {{"description", test::kStringId}}}};
}

// Writes constant `i` of a type. The constant is a primitive value or the fields of a struct.
void WriteValue(const std::vector<SampleType>& types, uint64_t type, uint64_t i, Bytes& out) {
  if (type == test::kStringId) return out.Utf8("text" + std::to_string(i));
  if (type == test::kBooleanId) return out.Byte(0);
  if (type < 30) return out.Long(i);
  for (const SampleType& each : types) {
    if (each.id != type) continue;
    for (const BuiltField& field : each.fields) {
      if ((field.flags & test::kArray) != 0) out.Int(1);
      (field.flags & test::kInPool) != 0 ? out.Long(i) : WriteValue(types, field.type, i, out);
    }
  }
}

// Returns a recording with the constants 1 to kConstants of every type, and one event for each of
// these numbers. Constants and events have the fields that `types` declare. All references in
// constant i and event i refer to constants with the number i.
std::string RecordingOf(const std::vector<SampleType>& types) {
  ChunkBuilder chunk;
  for (const SampleType& type : types) {
    chunk.Type(type.id, type.name, type.super_type, type.fields);
    for (uint64_t i = 1; i <= kConstants; ++i) {
      const auto fill = [&](Bytes& out) { WriteValue(types, type.id, i, out); };
      type.super_type.empty() ? chunk.Constant(type.id, i, fill) : chunk.Event(type.id, fill);
    }
  }
  return chunk.Build();
}

// Counts samples, and checks that all their numbers are in the profile's tables.
class NumberCheck : public SampleSink {
 public:
  explicit NumberCheck(const Profile& profile) : profile_(profile) {}

  void OnSample(const Sample& sample) override {
    ++samples;
    are_in_tables = are_in_tables && sample.kind < profile_.kinds.size() &&
                    sample.thread < profile_.threads().size() &&
                    sample.stack < profile_.stacks.size();
    for (uint32_t node = sample.stack; are_in_tables && node != CallTree::kRoot;
         node = profile_.stacks.parent(node)) {
      const uint32_t frame = profile_.stacks.frame(node);
      are_in_tables = frame < profile_.frames().size() &&
                      profile_.frames()[frame].method < profile_.methods().size() &&
                      static_cast<size_t>(profile_.frames()[frame].kind) < kFrameKindCount;
    }
  }

  uint64_t samples = 0;
  bool are_in_tables = true;

 private:
  const Profile& profile_;
};

class HostileTypesTest : public ::testing::Test {
 protected:
  // Returns JfrReadReport::missing, or the text of the error.
  std::string Read(const std::string& bytes) {
    test::WriteFile(path_, bytes);
    profile_ = Profile();
    check_.emplace(profile_);
    const auto report = ReadSamples(path_, LineNumbers::kKeep, profile_, *check_);
    return report.ok() ? report.value().missing : report.error().message();
  }

  test::TempFolder folder_;
  const std::string path_ = folder_.File("a.jfr");
  Profile profile_;
  std::optional<NumberCheck> check_;
};

TEST_F(HostileTypesTest, SoundTypesGiveAllSamples) {
  EXPECT_THAT(Read(RecordingOf(SampleTypes())), IsEmpty());
  EXPECT_EQ(check_->samples, kConstants);
  EXPECT_TRUE(check_->are_in_tables);
  EXPECT_EQ(profile_.threads().size(), kConstants);
}

TEST_F(HostileTypesTest, RefusesThreadsInPlaceOfStacksAndReportsIt) {
  std::vector<SampleType> types = SampleTypes();
  types[0].fields[1].type = 32;  // one pool for eventThread and stackTrace
  EXPECT_THAT(Read(RecordingOf(types)), HasSubstr("not of the type that its name demands"));
  EXPECT_TRUE(check_->are_in_tables);
  EXPECT_EQ(check_->samples, kConstants);
  ASSERT_EQ(profile_.threads().size(), 1u);
  EXPECT_EQ(profile_.ThreadName(0), "");
}

// Makes every field refer to every type, as a key, as an inline value, and as an array.
TEST_F(HostileTypesTest, NumbersStayInTheirTablesWhateverFieldsReferTo) {
  const std::vector<SampleType> sound = SampleTypes();
  for (size_t type = 0; type < sound.size(); ++type) {
    for (size_t field = 0; field < sound[type].fields.size(); ++field) {
      for (const SampleType& target : sound) {
        for (const int flags : {test::kInPool | test::kArray, int{test::kInPool}, int{test::kArray},
                                int{test::kPlain}}) {
          if (target.id == 30) continue;
          std::vector<SampleType> types = sound;
          BuiltField& spoiled = types[type].fields[field];
          spoiled.type = target.id;
          spoiled.flags = flags;
          // A type that contains itself inline would have no end, so the field is stored as a key.
          if (target.id <= types[type].id) spoiled.flags |= test::kInPool;
          const std::string missing = Read(RecordingOf(types));
          EXPECT_TRUE(check_->are_in_tables)
              << types[type].name << "." << spoiled.name << ": " << target.name;
          EXPECT_EQ(missing.find('\n'), std::string::npos);
        }
      }
    }
  }
}

TEST_F(HostileTypesTest, TheFirstOfTwoTypesWithOneNameCounts) {
  std::vector<SampleType> types = SampleTypes();
  SampleType second = types[2];  // a StackTrace
  second.id = 40;
  types.push_back(second);
  types[0].fields[2].type = 40;
  Read(RecordingOf(types));
  EXPECT_EQ(check_->samples, 0u);
  types[0].fields[2].type = 32;
  EXPECT_THAT(Read(RecordingOf(types)), IsEmpty());
  EXPECT_EQ(check_->samples, kConstants);
}

TEST_F(HostileTypesTest, TheFirstOfTwoFieldsWithOneNameCounts) {
  std::vector<SampleType> types = SampleTypes();
  types[2].fields.push_back({"frames", test::kLongId});
  Read(RecordingOf(types));
  EXPECT_TRUE(check_->are_in_tables);
  EXPECT_LE(profile_.stacks.size(), 2 * kConstants + 1);  // a method and a class per constant
}

TEST_F(HostileTypesTest, SumsDoNotOverflow) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  ChunkBuilder chunk;
  for (const SampleType& type : SampleTypes()) {
    chunk.Type(type.id, type.name, type.super_type, type.fields);
  }
  for (int i = 0; i < 3000; ++i) {
    chunk.Event(30, [](Bytes& out) {
      for (const uint64_t value :
           {uint64_t{1}, uint64_t{1}, uint64_t{0}, uint64_t{0}, kMost >> 1}) {
        out.Long(value);
      }
    });
  }
  Read(chunk.Build());
  EXPECT_EQ(profile_.kinds.at(0).samples, 3000u);
  EXPECT_EQ(profile_.kinds.at(0).value, kMost);
}

TEST_F(HostileTypesTest, OmitsKindsBeyondTheLimitAndReportsIt) {
  ChunkBuilder chunk;
  test::AddSampleTypes(chunk);
  for (uint64_t i = 0; i <= Profile::kMaxKinds; ++i) {
    chunk.Type(100 + i, "demo.Event" + std::to_string(i), "jdk.jfr.Event",
               {{"stackTrace", 32, test::kInPool}});
    chunk.Event(100 + i, [](Bytes& out) { out.Long(1); });
  }
  EXPECT_THAT(Read(chunk.Build()), HasSubstr("more than 1000 types of events"));
  EXPECT_EQ(profile_.kinds.size(), Profile::kMaxKinds);
}

// ---- small files that could take much memory

TEST_F(HostileTypesTest, ALongTextIsCutAtACharacter) {
  ChunkBuilder chunk;
  test::AddSampleTypes(chunk);
  std::string name = "x";
  while (name.size() < 2 * kMaxTextUnits) name += "\xC3\xA9";
  chunk.Constant(31, 1, [&](Bytes& out) {
    out.Utf8(name);
    out.Long(1);
    out.Utf8("");
    out.Long(1);
  });
  test::AddSample(chunk, 2000);
  Read(chunk.Build());
  ASSERT_EQ(profile_.threads().size(), 1u);
  EXPECT_EQ(profile_.ThreadName(0), name.substr(0, kMaxTextUnits - 1) + "...");
}

TEST_F(HostileTypesTest, StoresANameOfManyTypesAndFieldsOnce) {
  ChunkBuilder chunk;
  const std::string name(100'000, 'x');
  for (uint64_t i = 0; i < 2000; ++i) {
    chunk.Type(100 + i, name, "", {{name, test::kLongId}});
  }
  test::WriteFile(path_, chunk.Build());
  const auto read = [this] {
    Profile profile;
    NumberCheck check(profile);
    static_cast<void>(ReadSamples(path_, LineNumbers::kKeep, profile, check));
  };
  EXPECT_LT(test::PeakMemoryOf(read), kLittleMemoryMb);
}

TEST_F(HostileTypesTest, StoresANameOfManyThreadsOnce) {
  if (test::kUnderAsan) GTEST_SKIP() << "AddressSanitizer keeps what was freed";
  constexpr uint64_t kThreads = 3000;
  ChunkBuilder chunk;
  test::AddSampleTypes(chunk);
  chunk.Constant(test::kStringId, 1, [](Bytes& out) { out.Utf8(std::string(100'000, 'x')); });
  for (uint64_t i = 1; i <= kThreads; ++i) {
    chunk.Constant(31, i, [i](Bytes& out) {
      for (int name = 0; name < 2; ++name) {
        out.Byte(2);  // a reference to the pool of strings
        out.Long(1);
        out.Long(i);
      }
    });
    test::AddSample(chunk, 2000, i);
  }
  test::WriteFile(path_, chunk.Build());
  const auto read = [this] {
    Profile profile;
    NumberCheck check(profile);
    static_cast<void>(ReadSamples(path_, LineNumbers::kKeep, profile, check));
    if (profile.threads().size() != kThreads) _exit(255);
  };
  EXPECT_LT(test::PeakMemoryOf(read), kLittleMemoryMb);
}

TEST_F(HostileTypesTest, DoesNotFollowOverlappingCheckpoints) {
  ChunkBuilder chunk;
  test::AddSampleTypes(chunk);
  test::AddSample(chunk, 2000);
  constexpr size_t kHead = 18, kHeads = 5000;
  std::string heads;
  for (size_t i = 0; i < kHeads; ++i) {  // each checkpoint reaches to the end of all
    Bytes head;
    const size_t size = (kHeads - i) * kHead;
    for (int k = 0; k < 3; ++k) head.Byte((size >> (7 * k) & 0x7F) | 0x80);
    head.Byte(size >> 21);
    head.Byte(1);
    head.Long(0);
    head.Long(0);
    head.Long(i == 0 ? uint64_t{1} << 62 : static_cast<uint64_t>(-static_cast<int64_t>(kHead)));
    head.Byte(0);
    head.Byte(0);
    ASSERT_EQ(head.text().size(), kHead);
    heads += head.text();
  }
  chunk.RawEvent(heads);
  std::string bytes = chunk.Build();
  const size_t first = bytes.find(heads.substr(0, kHead));
  const size_t last = first + (kHeads - 1) * kHead;
  for (size_t i = 0; i < 8; ++i) bytes[16 + i] = static_cast<char>(last >> (8 * (7 - i)));
  bytes[first + 7] = 0;  // the first checkpoint has no previous one
  EXPECT_THAT(Read(bytes), HasSubstr("header does not lead to its metadata and constants"));
  EXPECT_EQ(check_->samples, 1u);
  const auto read = [this] {
    Profile profile;
    NumberCheck check(profile);
    static_cast<void>(ReadSamples(path_, LineNumbers::kKeep, profile, check));
  };
  EXPECT_LT(test::PeakMemoryOf(read), kLittleMemoryMb);
}

TEST_F(HostileTypesTest, AnEventAsLongAsAHoleInTheFileTakesNoMemory) {
  ChunkBuilder chunk;
  test::AddSampleTypes(chunk);
  const std::string whole = chunk.Build();
  Bytes event;
  constexpr uint64_t kHole = 200 << 20;
  for (int i = 0; i < 4; ++i) event.Byte((kHole >> (7 * i) & 0x7F) | 0x80);
  event.Byte(0);
  event.Long(30);
  std::string bytes = whole;
  bytes[64] = 1;  // not finished: read event by event
  test::WriteFile(path_, bytes + event.text());
  ASSERT_EQ(truncate(path_.c_str(), static_cast<off_t>(bytes.size() + kHole)), 0);
  const auto read = [this] {
    Profile profile;
    NumberCheck check(profile);
    const auto report = ReadSamples(path_, LineNumbers::kKeep, profile, check);
    if (!report.ok()) _exit(255);
  };
  EXPECT_LT(test::PeakMemoryOf(read), kLittleMemoryMb);
}

TEST(HostileTableTest, MemoryGrowsWithSamplesNotWithKindsTimesThreads) {
  const auto sum = [] {
    SampleTable table(SampleTable::Weigh::kSamples, SampleTable::Slices::kOne);
    for (uint32_t kind = 0; kind < Profile::kMaxKinds; ++kind) {
      table.OnSample({.kind = kind, .thread = 20'000});
    }
    table.Finish();
    if (table.groups().size() != Profile::kMaxKinds) _exit(255);
  };
  EXPECT_LT(test::PeakMemoryOf(sum), kLittleMemoryMb);
}

}  // namespace
}  // namespace jprof::profile
