// BoundedText writes a text to memory of a fixed size. A text that does not fit is cut.
//
// Async-signal-safe. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace jprof {

class BoundedText {
 public:
  // REQUIRES: `begin` has `size` bytes, and lives as long as the object.
  BoundedText(char* begin, size_t size) : begin_(begin), room_(size) {}

  std::string_view view() const { return {begin_, size_}; }

  BoundedText& Append(std::string_view text) {
    const size_t bytes = std::min(text.size(), room_ - size_);
    if (bytes != 0) std::memcpy(begin_ + size_, text.data(), bytes);
    size_ += bytes;
    return *this;
  }
  // Appends the characters of an array up to the first 0, or all of them.
  template <size_t kSize>
  BoundedText& AppendArray(const char (&array)[kSize]) {
    size_t size = 0;
    while (size < kSize && array[size] != 0) ++size;
    return Append({array, size});
  }
  BoundedText& AppendDecimal(int64_t number) {
    if (number < 0) Append("-");
    return AppendDigits(number < 0 ? -static_cast<uint64_t>(number) : static_cast<uint64_t>(number),
                        10, 1);
  }
  // Appends at least `digits` hexadecimal digits.
  BoundedText& AppendHex(uint64_t number, int digits = 1) {
    return AppendDigits(number, 16, digits);
  }

  // Appends `size` bytes that copy(to) writes. Appends nothing if they do not fit, or if copy
  // returns false.
  template <typename Copy>
  BoundedText& AppendCopy(size_t size, Copy&& copy) {
    if (size <= room_ - size_ && copy(begin_ + size_)) size_ += size;
    return *this;
  }

  // Replaces a character in the text from the byte `from` on.
  void Replace(size_t from, char old_character, char new_character) {
    std::replace(begin_ + std::min(from, size_), begin_ + size_, old_character, new_character);
  }

 private:
  BoundedText& AppendDigits(uint64_t number, uint64_t base, int least) {
    constexpr int kMost = 20;
    char text[kMost];
    int at = kMost;
    for (; number != 0 || kMost - at < least; number /= base) {
      text[--at] = "0123456789abcdef"[number % base];
    }
    return Append({text + at, static_cast<size_t>(kMost - at)});
  }

  char* begin_;
  size_t room_;
  size_t size_ = 0;
};

}  // namespace jprof
