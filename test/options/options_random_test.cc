// Tests invariants of parsing on random strings.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>

#include "options/option_table.h"
#include "options/options.h"

namespace jprof {
namespace {

constexpr int kRounds = 50'000;

bool IsInTable(const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  return FindByName(kCommands, name) != nullptr || FindByName(kOptions, name) != nullptr ||
         FindByName(kEvents, word) != nullptr;
}

bool IsWithin(const KindSettings& kind, Nanos least) {
  return !kind.enabled() || (kind.interval >= least && kind.interval <= 3600 * kNanosPerSecond);
}

bool IsAnyEnabled(const SampleSettings& samples) {
  return std::ranges::any_of(kSampleKinds,
                             [&](const SampleKindRow& row) { return samples[row.kind].enabled(); });
}

void ExpectAcceptedMakesSense(const std::string& text, const Options& options) {
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) EXPECT_TRUE(IsInTable(word)) << text;
  const bool starts = options.command == Command::kStart;
  EXPECT_EQ(IsAnyEnabled(options.samples), starts) << text;
  EXPECT_TRUE(IsWithin(options.samples[SampleKind::kCpu], 100'000)) << text;
  EXPECT_TRUE(IsWithin(options.samples[SampleKind::kWall], 1'000'000)) << text;
  EXPECT_EQ(options.max_depth > 0, starts) << text;
  EXPECT_TRUE(options.file.has_value() || !starts) << text;
}

// Parses a string and checks the invariants of accepted and refused strings. Returns true if the
// string was accepted.
bool Try(const std::string& text) {
  const Result<Options> options = ParseOptions(text);
  if (options.ok()) {
    ExpectAcceptedMakesSense(text, options.value());
    return true;
  }
  const std::string& message = options.error().message();
  EXPECT_FALSE(message.empty());
  EXPECT_LE(message.size(), 680U);  // an error lists all options if the word resembles none
  EXPECT_TRUE(std::all_of(message.begin(), message.end(), [](char c) {
    return c >= ' ' && c <= '~';
  })) << message;
  return false;
}

TEST(OptionsRandomTest, RefusesBytesWithOneShortPrintableLine) {
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): a failure must repeat
  for (int round = 0; round < kRounds; ++round) {
    std::string text(random() % 64, '\0');
    for (char& c : text) c = static_cast<char>(random());
    Try(text);
  }
}

TEST(OptionsRandomTest, ShuffledPartsOfTheGrammarKeepTheInvariants) {
  const std::vector<std::string> parts = {"start",      "stop",        "version",
                                          "help",       "event",       "cpu",
                                          "wall",       "interval",    "file",
                                          "log",        "loglevel",    ",",
                                          "=",          "jstackdepth", "ctimer",
                                          "5ms",        "1h",          "info",
                                          "100us",      "/x%p",        "18446744073709551616",
                                          "1",          " ",           "0",
                                          "-",          "start,",      "cpu=",
                                          ",event=cpu", ",wall",       ",interval=5ms"};
  std::mt19937 random(2);  // NOLINT(cert-msc51-cpp): a failure must repeat
  int accepted = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::string text;
    for (size_t count = random() % 8; count > 0; --count) text += parts[random() % parts.size()];
    accepted += Try(text) ? 1 : 0;
  }
  EXPECT_GT(accepted, 100);  // enough accepted strings to test
}

TEST(OptionsRandomTest, RefusesVeryLongStringsInOneShortLine) {
  EXPECT_FALSE(Try(std::string(1'000'000, 'x')));
  EXPECT_FALSE(Try("start,cpu=" + std::string(1'000'000, '9')));
  EXPECT_FALSE(Try(std::string(1'000'000, ',')));
}

}  // namespace
}  // namespace jprof
