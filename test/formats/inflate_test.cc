#include "formats/page/inflate.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <random>
#include <string>
#include <vector>

#include "formats/page/page_text.h"

namespace jprof {
namespace {

std::vector<uint8_t> Pack(const std::string& text, int level, int strategy) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, level, Z_DEFLATED, -MAX_WBITS, 8, strategy), Z_OK);
  std::vector<uint8_t> packed(deflateBound(&stream, text.size()));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = packed.data();
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// Texts that repeat at every distance and length, and noise.
std::vector<std::string> Texts() {
  std::mt19937 random(20);  // NOLINT(bugprone-random-generator-seed): the same texts on each run
  std::vector<std::string> texts = {"", "a", std::string(300'000, 'x')};
  for (const uint32_t letters : {2U, 20U, 256U}) {
    std::string text;
    while (text.size() < 200'000) {
      if (random() % 2 == 0 && !text.empty()) {
        const size_t from = random() % text.size();
        text += text.substr(from, random() % 400);
      } else {
        for (uint32_t i = random() % 100; i > 0; --i) text += static_cast<char>(random() % letters);
      }
    }
    texts.push_back(text);
  }
  return texts;
}

TEST(InflateTest, WhatZlibPacksComesBackInEveryKindOfBlock) {
  for (const std::string& text : Texts()) {
    for (const int level : {0, 1, 9}) {
      for (const int strategy : {Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE}) {
        EXPECT_EQ(Inflate(Pack(text, level, strategy), text.size()), text)
            << level << " " << strategy << " of " << text.size() << " bytes";
      }
    }
  }
}

TEST(InflateTest, AnotherSizeOrAnIncompleteStreamIsRefused) {
  const std::string text = Texts().back();
  std::vector<uint8_t> packed = Pack(text, 9, Z_DEFAULT_STRATEGY);
  EXPECT_FALSE(Inflate(packed, text.size() - 1));
  EXPECT_FALSE(Inflate(packed, text.size() + 1));
  for (size_t size = 0; size < packed.size(); size += 1 + packed.size() / 100) {
    EXPECT_FALSE(Inflate(std::span(packed).first(size), text.size())) << size;
  }
  packed.push_back(0);
  EXPECT_FALSE(Inflate(packed, text.size()));
}

TEST(InflateTest, DamagedBytesGiveAtMostTheSize) {
  std::mt19937 random(21);  // NOLINT(bugprone-random-generator-seed)
  const std::string text = Texts()[4].substr(0, 5'000);
  const std::vector<uint8_t> packed = Pack(text, 9, Z_DEFAULT_STRATEGY);
  for (int i = 0; i < 5'000; ++i) {
    std::vector<uint8_t> damaged = packed;
    damaged[random() % 100 % damaged.size()] ^= static_cast<uint8_t>(1U << random() % 8);
    const std::optional<std::string> inflated = Inflate(damaged, text.size());
    if (inflated) {
      EXPECT_EQ(inflated->size(), text.size());
    }
  }
}

TEST(InflateTest, ThePageIsWhole) {
  const PageText page;
  EXPECT_TRUE(page.before_part_styles().starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(page.end().ends_with("</html>\n"));
  EXPECT_FALSE(page.before_data().empty());
}

}  // namespace
}  // namespace jprof
