#include "base/perf_counters.h"

#include <gtest/gtest.h>

#include <cstring>

namespace jprof {
namespace {

// PerfData: perf data with a number and a text, in the layout of HotSpot.
class PerfData {
 public:
  PerfData() : bytes_(32, '\0') {
    const unsigned char prologue[] = {0xca, 0xfe, 0xc0, 0xc0, 1, 2, 0, 1};
    std::memcpy(bytes_.data(), prologue, sizeof prologue);
    Put(24, 32);
  }
  void Add(const std::string& name, char type, int32_t vector_length, const std::string& data) {
    const size_t at = bytes_.size();
    const size_t data_at = (20 + name.size() + 1 + 7) / 8 * 8;
    bytes_.resize(at + (data_at + data.size() + 7) / 8 * 8, '\0');
    Put(at, static_cast<int32_t>(bytes_.size() - at));
    Put(at + 4, 20);
    Put(at + 8, vector_length);
    bytes_[at + 12] = type;
    Put(at + 16, static_cast<int32_t>(data_at));
    std::memcpy(bytes_.data() + at + 20, name.data(), name.size());
    std::memcpy(bytes_.data() + at + data_at, data.data(), data.size());
    Put(28, ++count_);
    Put(8, static_cast<int32_t>(bytes_.size()));
  }
  void Put(size_t at, int32_t value) { std::memcpy(bytes_.data() + at, &value, sizeof value); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  int32_t count_ = 0;
};

PerfData Sample() {
  PerfData data;
  data.Add("sun.gc.x", 'J', 0, std::string("\7\0\0\0\0\0\0\0", 8));
  data.Add("sun.gc.lastCause", 'B', 32, "System.gc()");
  return data;
}

TEST(PerfCountersTest, NumbersAndTextsAreFoundByName) {
  const PerfData data = Sample();
  const PerfCounters counters = PerfCounters::Parse(data.bytes().data(), data.bytes().size());
  ASSERT_NE(counters.Number("sun.gc.x"), nullptr);
  EXPECT_EQ(*counters.Number("sun.gc.x"), 7);
  EXPECT_STREQ(counters.Text("sun.gc.lastCause"), "System.gc()");
  EXPECT_EQ(counters.Text("sun.gc.x"), nullptr);
  EXPECT_EQ(counters.Number("sun.gc.lastCause"), nullptr);
  EXPECT_EQ(counters.Number("nothing"), nullptr);
}

TEST(PerfCountersTest, ReadsTheWholeEntriesOfTruncatedMemory) {
  const PerfData data = Sample();
  for (size_t bytes = 0; bytes < data.bytes().size(); ++bytes) {
    const std::string cut = data.bytes().substr(0, bytes);
    EXPECT_EQ(PerfCounters::Parse(cut.data(), bytes).Text("sun.gc.lastCause"), nullptr) << bytes;
  }
}

TEST(PerfCountersTest, EntriesThatLeadOutOfTheMemoryAreNotRead) {
  for (const size_t field : {size_t{24}, size_t{32}, size_t{36}, size_t{48}}) {
    for (const int32_t value : {-1, 1 << 30}) {
      PerfData data = Sample();
      data.Put(field, value);
      EXPECT_EQ(
          PerfCounters::Parse(data.bytes().data(), data.bytes().size()).Text("sun.gc.lastCause"),
          nullptr);
    }
  }
}

TEST(PerfCountersTest, IgnoresAValueThatLeavesItsEntry) {
  PerfData number = Sample();
  number.Put(48, 36);  // an offset within an entry of 40 bytes
  EXPECT_EQ(PerfCounters::Parse(number.bytes().data(), number.bytes().size()).Number("sun.gc.x"),
            nullptr);
  PerfData text;
  text.Add("text", 'B', 8, "12345678");
  EXPECT_EQ(PerfCounters::Parse(text.bytes().data(), text.bytes().size()).Text("text"), nullptr);
}

TEST(PerfCountersTest, WithoutPerfDataThereAreNoCounters) {
  char* none = nullptr;
  EXPECT_EQ(PerfCounters::Open(nullptr).Number("a"), nullptr);
  EXPECT_EQ(PerfCounters::Open(&none).Number("a"), nullptr);
}

}  // namespace
}  // namespace jprof
