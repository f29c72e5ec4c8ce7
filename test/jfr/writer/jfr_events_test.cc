// Writes every event of the table, with a distinct value in each member, and reads the event back.
// The written bytes come from the structs that are generated from the table. The expected texts
// come from the table alone.
#include "jfr/writer/jfr_events.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "jfr/writer/jfr_file.h"
#include "jfr/writer/jfr_writer.h"
#include "support/temp_folder.h"

namespace jprof {
namespace {

constexpr int64_t kFirstTick = 5'000'000'000;

// Chooses distinct values for members, and collects the text that a reader prints for each value.
class Values {
 public:
  template <JfrMeaning kMeaning, class Value>
  void Give(Value& member) {
    const int number = ++count_;
    std::string text = std::to_string(number);
    if constexpr (kMeaning == JfrMeaning::kTicks) {
      member = kFirstTick + number * 100;
    } else if constexpr (kMeaning == JfrMeaning::kTickDuration) {
      member = number * 100 + 99;
    } else if constexpr (std::is_same_v<Value, std::string_view>) {
      text = "text " + text;
      member = kept_.emplace_back(text);
    } else if constexpr (std::is_same_v<Value, bool>) {
      member = number % 2 == 0;
      text = member ? "true" : "false";
    } else if constexpr (std::is_floating_point_v<Value>) {
      member = static_cast<Value>(number) + Value{0.5};
      text = std::to_string(member);
    } else {
      member = static_cast<Value>(number);
    }
    Add(text);
  }
  template <class Value>
  void GiveKey(Value& member) {
    const int number = ++count_;
    member = static_cast<Value>(number);
    Add("#" + std::to_string(number));
  }

  // Adds the text of a member whose value the writer chooses.
  void Skip(const std::string& text) { Add(text); }

  std::string Take() {
    count_ = 0;
    return std::exchange(texts_, {});
  }

 private:
  void Add(const std::string& text) { texts_ += (texts_.empty() ? "" : ",") + text; }

  int count_ = 0;
  std::string texts_;
  std::deque<std::string> kept_;  // a deque never moves its texts
};

// Fills a member according to the row that declares it: a key, a struct or a value.
template <JfrStorage kStorage, JfrMeaning kMeaning, class Value>
void Fill(Values& values, Value& member);

#define JFR_TYPE(Id, kind, name)
#define JFR_FIELD(name, Type, storage, meaning, label)
#define JFR_INLINE(Id, name) void FillMembers(Values& values, Id& value) {
#define JFR_EVENT(Id, name, label, category) JFR_INLINE(Id, name)
#define JFR_MEMBER(member, name, Type, storage, meaning, label) \
  Fill<JfrStorage::storage, JfrMeaning::meaning>(values, value.member);
#define JFR_END() }
#include "jfr/format/jfr_types.def"
#undef JFR_INLINE
#undef JFR_EVENT
#undef JFR_MEMBER
#undef JFR_END

template <JfrStorage kStorage, JfrMeaning kMeaning, class Value>
void Fill(Values& values, Value& member) {
  if constexpr (std::is_same_v<Value, Appended>) {
    Values unread;
    FillMembers(unread, member);
    values.Skip("appended");
  } else if constexpr (kStorage == JfrStorage::kPool) {
    values.GiveKey(member);
  } else if constexpr (std::is_class_v<Value> && !std::is_same_v<Value, std::string_view>) {
    FillMembers(values, member);
  } else {
    values.Give<kMeaning>(member);
  }
}

struct Written {
  std::string name;
  std::string fields;
};

template <class Event>
Written Append(JfrWriter& writer, Values& values, const char* name) {
  Event event;
  FillMembers(values, event);
  writer.Append(event);
  return {name, values.Take()};
}

TEST(JfrEventsTest, ReadsBackEveryMemberInItsPlaceAndUnit) {
  const test::TempFolder folder;
  const std::string path = folder.File("a.jfr");
  auto writer = std::move(JfrWriter::Open(path, ChunkClock{0, kFirstTick})).value();
  Values values;
  std::vector<Written> written;
#define JFR_INLINE(Id, name)
#define JFR_EVENT(Id, name, label, category) written.push_back(Append<Id>(*writer, values, name));
#define JFR_MEMBER(member, name, Type, storage, meaning, label)
#define JFR_END()
#include "jfr/format/jfr_types.def"
  ASSERT_TRUE(writer->Seal(kFirstTick).ok());

  const std::string bytes = test::ReadFile(path);
  const test::ParsedChunk chunk = test::ParseRecording(bytes).at(0);
  ASSERT_EQ(chunk.events.size(), written.size());
  for (size_t i = 0; i < written.size(); ++i) {
    EXPECT_EQ(chunk.types.at(chunk.events[i].type).name, written[i].name);
    EXPECT_EQ(test::FieldsText(chunk, bytes, chunk.events[i]), written[i].fields)
        << written[i].name;
  }
}

}  // namespace
}  // namespace jprof
