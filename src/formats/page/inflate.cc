#include "formats/page/inflate.h"

#include <algorithm>
#include <array>

namespace jprof {
namespace {

// What names a section here is in RFC 1951.
constexpr size_t kMostBits = 15;
constexpr size_t kLiterals = 288;  // literals, the end, lengths
constexpr size_t kDistances = 30;
constexpr size_t kLengthCodes = 19;
constexpr int kEndOfBlock = 256;

class BitReader {
 public:
  explicit BitReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  // 0 from the end on.
  uint32_t Take(uint32_t count) {
    uint32_t value = 0;
    for (uint32_t i = 0; i < count; ++i, ++position_) {
      if (position_ / 8 >= bytes_.size()) {
        is_over_ = true;
        return 0;
      }
      value |= (bytes_[position_ / 8] >> position_ % 8 & 1U) << i;
    }
    return value;
  }
  void SkipToByte() { position_ = (position_ + 7) / 8 * 8; }

  bool is_over() const { return is_over_; }  // more was taken than there is
  bool IsInLastByte() const { return (position_ + 7) / 8 == bytes_.size(); }

 private:
  const std::span<const uint8_t> bytes_;
  size_t position_ = 0;  // in bits
  bool is_over_ = false;
};

// A code by the lengths of its words (3.2.2): words of a length are consecutive numbers.
class HuffmanCode {
 public:
  // False if the lengths allow more words than there are.
  bool Set(std::span<const uint8_t> lengths) {
    counts_.fill(0);
    for (const uint8_t length : lengths) ++counts_[length];
    counts_[0] = 0;
    std::array<uint16_t, kMostBits + 1> next{};
    int unused = 1;
    for (size_t bits = 1; bits <= kMostBits; ++bits) {
      unused = unused * 2 - counts_[bits];
      if (unused < 0) return false;
      next[bits] = static_cast<uint16_t>(next[bits - 1] + counts_[bits - 1]);
    }
    for (size_t symbol = 0; symbol < lengths.size(); ++symbol) {
      if (lengths[symbol] != 0) symbols_[next[lengths[symbol]]++] = static_cast<uint16_t>(symbol);
    }
    return true;
  }

  // -1: no word.
  int Read(BitReader& from) const {
    int word = 0;
    int first = 0;
    int index = 0;
    for (size_t bits = 1; bits <= kMostBits; ++bits) {
      word |= static_cast<int>(from.Take(1));
      if (word - first < counts_[bits]) return symbols_[static_cast<size_t>(index + word - first)];
      index += counts_[bits];
      first = (first + counts_[bits]) * 2;
      word *= 2;
    }
    return -1;
  }

 private:
  std::array<uint16_t, kMostBits + 1> counts_{};
  std::array<uint16_t, kLiterals> symbols_{};  // by word
};

class Inflater {
 public:
  Inflater(std::span<const uint8_t> packed, size_t size) : in_(packed), size_(size) {
    out_.reserve(size);
  }

  bool Run() {
    bool is_last = false;
    while (!is_last) {
      is_last = in_.Take(1) != 0;
      const uint32_t type = in_.Take(2);
      const bool is_right = type == 0   ? Stored()
                            : type == 1 ? FixedCodes() && Compressed()
                            : type == 2 ? DynamicCodes() && Compressed()
                                        : false;
      if (!is_right || in_.is_over()) return false;
    }
    return out_.size() == size_ && in_.IsInLastByte();
  }

  std::string Out() && { return std::move(out_); }

 private:
  bool Stored() {  // 3.2.4
    in_.SkipToByte();
    const uint32_t length = in_.Take(16);
    if (in_.Take(16) != (length ^ 0xffff) || length > size_ - out_.size()) return false;
    for (uint32_t i = 0; i < length; ++i) out_.push_back(static_cast<char>(in_.Take(8)));
    return true;
  }

  bool FixedCodes() {  // 3.2.6
    std::array<uint8_t, kLiterals> lengths;
    std::fill_n(lengths.begin(), 144, uint8_t{8});
    std::fill_n(lengths.begin() + 144, 112, uint8_t{9});
    std::fill_n(lengths.begin() + 256, 24, uint8_t{7});
    std::fill_n(lengths.begin() + 280, 8, uint8_t{8});
    std::array<uint8_t, kDistances> distances;
    distances.fill(5);
    return literals_.Set(lengths) && distances_.Set(distances);
  }

  bool DynamicCodes() {  // 3.2.7
    constexpr uint8_t kOrder[kLengthCodes] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                              11, 4,  12, 3, 13, 2, 14, 1, 15};
    const size_t literals = in_.Take(5) + 257;
    const size_t distances = in_.Take(5) + 1;
    const size_t codes = in_.Take(4) + 4;
    if (literals > kLiterals || distances > kDistances) return false;
    std::array<uint8_t, kLiterals + kDistances> lengths{};
    for (size_t i = 0; i < codes; ++i) lengths[kOrder[i]] = static_cast<uint8_t>(in_.Take(3));
    if (!literals_.Set({lengths.data(), kLengthCodes})) return false;
    lengths.fill(0);
    for (size_t i = 0; i < literals + distances;) {
      const int symbol = literals_.Read(in_);
      if (symbol < 0 || (symbol == 16 && i == 0)) return false;
      size_t repeats = 1;
      if (symbol == 16) repeats = in_.Take(2) + 3;
      if (symbol == 17) repeats = in_.Take(3) + 3;
      if (symbol == 18) repeats = in_.Take(7) + 11;
      if (repeats > literals + distances - i) return false;
      const int length = symbol < 16 ? symbol : symbol == 16 ? lengths[i - 1] : 0;
      std::fill_n(lengths.begin() + static_cast<ptrdiff_t>(i), repeats,
                  static_cast<uint8_t>(length));
      i += repeats;
    }
    return literals_.Set({lengths.data(), literals}) &&
           distances_.Set({lengths.data() + literals, distances});
  }

  bool Compressed() {  // 3.2.5
    for (;;) {
      const int symbol = literals_.Read(in_);
      if (symbol == kEndOfBlock) return true;
      if (symbol < 0 || in_.is_over() || out_.size() == size_) return false;
      if (symbol < kEndOfBlock) {
        out_.push_back(static_cast<char>(symbol));
      } else if (!Copy(static_cast<uint32_t>(symbol - kEndOfBlock - 1))) {
        return false;
      }
    }
  }

  // Lengths from 3 on: 8 of one value each, then 4 of twice as many values as the 4 before; 258
  // has its own. Distances from 1 on: 4 of one value each, then 2 of twice as many.
  bool Copy(uint32_t symbol) {
    if (symbol > 28) return false;
    size_t length = 258;
    if (symbol < 8) {
      length = 3 + symbol;
    } else if (symbol < 28) {
      const uint32_t bits = symbol / 4 - 1;
      length = 3 + ((4 + symbol % 4) << bits) + in_.Take(bits);
    }
    const int word = distances_.Read(in_);
    if (word < 0) return false;
    size_t distance = 1 + static_cast<size_t>(word);
    if (word >= 4) {
      const auto bits = static_cast<uint32_t>(word) / 2 - 1;
      distance = 1 + ((2 + static_cast<size_t>(word) % 2) << bits) + in_.Take(bits);
    }
    if (distance > out_.size() || length > size_ - out_.size()) return false;
    for (size_t i = 0; i < length; ++i) out_.push_back(out_[out_.size() - distance]);
    return true;
  }

  BitReader in_;
  const size_t size_;
  std::string out_;
  HuffmanCode literals_;  // and the code of lengths, before
  HuffmanCode distances_;
};

}  // namespace

std::optional<std::string> Inflate(std::span<const uint8_t> packed, size_t size) {
  Inflater inflater(packed, size);
  if (!inflater.Run()) return std::nullopt;
  return std::move(inflater).Out();
}

}  // namespace jprof
