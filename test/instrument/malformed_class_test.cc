// Tests that AddProbes survives any input, and that its output is a class file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "instrument/probed_class.h"
#include "instrument/sample_class.h"

namespace jprof {
namespace {

using ::testing::HasSubstr;

// Calls AddProbes, which must not crash.
void Probe(const ClassBytes& bytes) {
  // The block is exactly as large as the bytes, so that AddressSanitizer detects every read beyond
  // them.
  const std::vector<uint8_t> exact(bytes.begin(), bytes.end());
  instrument::ProbeTarget target;
  target.class_name = "P";
  const auto probed = instrument::AddProbes(
      exact, target, [](const instrument::MethodToProbe&) { return 1; }, nullptr);
  // If the reader of the tests can read the input, it can read the output.
  if (probed.ok() && !probed.value().empty() && ReadClass::Read(bytes)) {
    EXPECT_TRUE(ReadClass::Read(probed.value()));
  }
}

TEST(MalformedClassTest, SampleIsProbedInEveryMethod) {
  for (const uint16_t major : {45, 48, 50, 52, 71}) {
    ClassBytes sample = SampleClass(major);
    if (major == 45) sample[5] = 3;
    const Probed probed = ProbeAll(sample);
    EXPECT_EQ(probed.report.Probed(), 2U) << major;
  }
}

TEST(MalformedClassTest, EveryTruncationIsAnError) {
  const ClassBytes sample = SampleClass(52);
  for (size_t size = 0; size < sample.size(); ++size) {
    const std::vector<uint8_t> cut(sample.begin(), sample.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_FALSE(instrument::AddProbes(
                     cut, {"P"}, [](const instrument::MethodToProbe&) { return 1; }, nullptr)
                     .ok())
        << size;
  }
}

TEST(MalformedClassTest, EveryByteCanHaveEveryValue) {
  for (const uint16_t major : {48, 52}) {
    const ClassBytes sample = SampleClass(major);
    for (size_t at = 0; at < sample.size(); ++at) {
      for (const int value : {0, 1, 2, 3, 7, 8, 127, 128, 170, 171, 196, 247, 252, 254, 255}) {
        ClassBytes changed = sample;
        changed[at] = static_cast<uint8_t>(value);
        Probe(changed);
      }
    }
  }
}

TEST(MalformedClassTest, SeveralBytesCanBeWrong) {
  std::mt19937 random(1);
  const ClassBytes sample = SampleClass(52);
  for (int round = 0; round < 20000; ++round) {
    ClassBytes changed = sample;
    for (int i = 0; i < 4; ++i) changed[random() % changed.size()] = static_cast<uint8_t>(random());
    Probe(changed);
  }
}

// If such an attribute were accepted, the index of its name could become the index of a text that
// the probes add.
TEST(MalformedClassTest, AnAttributeOfCodeNeedsANameInThePool) {
  const ClassBytes content = {0xAB, 0xCD, 0xEF};
  MadeMethod method{8, "f", "()V", 0, 0, {0xB1}};
  method.tables = {{"Odd", content}};
  ClassBytes bytes = ClassMaker(52).Add(method).Bytes();
  EXPECT_EQ(ProbeAll(bytes).report.methods.at(0).not_probed, std::nullopt);
  const auto at = std::ranges::search(bytes, content).begin() - bytes.begin() - 6;
  const uint32_t count = bytes[8] * 256U + bytes[9];
  for (const uint32_t name : {0U, count, count + 5, 65535U}) {
    bytes[static_cast<size_t>(at)] = static_cast<uint8_t>(name >> 8);
    bytes[static_cast<size_t>(at) + 1] = static_cast<uint8_t>(name);
    EXPECT_EQ(ProbeAll(bytes).report.methods.at(0).not_probed, instrument::NotProbed::kMalformed);
  }
}

TEST(MalformedClassTest, ErrorsSayWhatIsWrong) {
  const auto error = [](ClassBytes bytes) {
    const auto probed = instrument::AddProbes(
        bytes, {"P"}, [](const instrument::MethodToProbe&) { return 1; }, nullptr);
    return probed.ok() ? "no error" : probed.error().message();
  };
  ClassBytes newer = SampleClass(72);
  EXPECT_THAT(error(newer), HasSubstr("version 72.0 is not supported: 45.3 to 71 are"));
  EXPECT_THAT(error({'P', 'K', 3, 4}), HasSubstr("no magic number"));
  EXPECT_THAT(error(SampleClass(52) + ClassBytes{0}), HasSubstr("its end"));
}

}  // namespace
}  // namespace jprof
