// Tests MethodNames with records, without a JVM.
#include "jvm/method_names.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>

#include "sigsafe/hotspot/java_method.h"

namespace jprof {
namespace {

constexpr uint64_t kId = kNumberMark | 7;

// A record with the texts that follow it.
template <typename Record>
class WithTexts {
 public:
  WithTexts(const Record& record, const std::string& texts)
      : memory_(new uint64_t[(sizeof(Record) + texts.size()) / sizeof(uint64_t) + 1]) {
    memcpy(memory_.get(), &record, sizeof record);
    memcpy(reinterpret_cast<char*>(memory_.get()) + sizeof record, texts.data(), texts.size());
  }
  const Record& operator*() const { return *reinterpret_cast<const Record*>(memory_.get()); }

 private:
  std::unique_ptr<uint64_t[]> memory_;
};

class MethodNamesTest : public testing::Test {
 protected:
  WithTexts<MethodRecord> Method(const std::string& lines) const {
    MethodRecord record{};
    record.id = kId;
    record.declaring = &*class_;
    record.name_size = 3;
    record.descriptor_size = 3;
    record.lines_size = static_cast<uint32_t>(lines.size());
    return {record, "run()V" + lines};
  }

  static ClassRecord Burner() {
    ClassRecord record{};
    record.number = 9;
    record.name_size = 8;
    record.source_file_size = 4;
    record.loader_class_size = 8;
    record.loader_name_size = 3;
    record.has_loader = true;
    return record;
  }

  WithTexts<ClassRecord> class_{Burner(), "a/BurnerB.kta/Loaderapp"};
  ClassCatalog catalog_;
  MethodNames names_{nullptr, nullptr, catalog_, 1};
};

TEST_F(MethodNamesTest, ARecordBecomesADescription) {
  EXPECT_EQ(names_.FindNew(kId), nullptr);
  const auto record = Method("\x05\x29");
  const MethodInfo& info = names_.Learn(*record);
  EXPECT_EQ(info.name, "run");
  EXPECT_EQ(info.descriptor, "()V");
  EXPECT_EQ(info.declaring->name, "a/Burner");
  EXPECT_EQ(info.declaring->source_file, "B.kt");
  EXPECT_EQ(info.declaring->loader->class_name, "a/Loader");
  EXPECT_EQ(info.declaring->loader->name, "app");
  EXPECT_EQ(info.LineAt(4), 5);
  EXPECT_EQ(info.LineAt(5), 6);
  EXPECT_EQ(names_.FindNew(kId), &names_.Of(kId));
  EXPECT_EQ(names_.unloaded(), 0u);
}

TEST_F(MethodNamesTest, ARecordOfALaterChunkReplacesTheLines) {
  const auto first = Method("\x05");
  const auto second = Method("\x07");
  names_.Learn(*first);
  names_.BeginChunk();
  EXPECT_EQ(names_.FindNew(kId), nullptr) << "the record of this chunk comes first";
  EXPECT_EQ(names_.Of(kId).LineAt(0), 5) << "without one, the description is held";
  names_.Learn(*second);
  EXPECT_EQ(names_.Of(kId).LineAt(0), 7);
}

TEST_F(MethodNamesTest, ALostNameIsCountedAndCanStillBeFound) {
  MethodRecord lost{};
  lost.id = kId;
  EXPECT_EQ(names_.Learn(lost).name, "[no method name]");
  names_.BeginChunk();
  names_.Learn(lost);
  EXPECT_EQ(names_.unloaded(), 1u);
  const auto record = Method("");
  EXPECT_EQ(names_.Learn(*record).name, "run");
}

TEST_F(MethodNamesTest, AMethodWithoutARecordIsCounted) {
  EXPECT_EQ(names_.Of(kId).name, "[unloaded class]");
  EXPECT_EQ(names_.Of(0).name, "[no method id]");
  EXPECT_EQ(names_.unloaded(), 1u);
}

TEST_F(MethodNamesTest, ADescriptionIsDroppedAfterAChunkWithoutTheMethod) {
  names_.Learn(*Method(""));
  names_.BeginChunk();
  names_.Keep(kId);
  names_.BeginChunk();
  EXPECT_EQ(names_.size(), 1u);
  names_.BeginChunk();
  EXPECT_EQ(names_.size(), 0u);
}

}  // namespace
}  // namespace jprof
