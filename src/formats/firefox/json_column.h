// JsonColumn: the elements of a JSON array of numbers, made one by one beside other columns.
// One thread.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "formats/json_writer.h"

namespace jprof::firefox {

class JsonColumn {
 public:
  // The room stays for the next elements.
  void Clear() { used_ = 0; }

  void Number(uint64_t value) {
    char* const at = Room();
    if (value < 10) {
      *at = static_cast<char>('0' + value);
      Keep(at + 1);
    } else {
      Keep(std::to_chars(at, at + kMillisSize, value).ptr);
    }
  }
  void Millis(int64_t nanos) { Keep(MillisText(nanos, Room())); }
  void Null() {
    constexpr std::string_view kNull = "null";
    Keep(static_cast<char*>(std::memcpy(Room(), kNull.data(), kNull.size())) + kNull.size());
  }

  // All elements; a comma follows each.
  std::string_view text() const { return {bytes_.get(), used_}; }

  // As the next member of an object.
  void Write(std::string_view key, JsonWriter& json) const {
    json.BeginArray(key);
    // In pieces that leave the stream's buffer small; without their last commas.
    for (std::string_view rest = text(); !rest.empty();) {
      const size_t size = rest.size() <= kPiece ? rest.size() : rest.rfind(',', kPiece - 1) + 1;
      json.Raw(rest.substr(0, size - 1));
      rest.remove_prefix(size);
    }
    json.EndArray();
  }

 private:
  static constexpr size_t kRoom = kMillisSize + 1;
  static constexpr size_t kPiece = size_t{64} * 1024;

  char* Room() {
    if (size_ - used_ < kRoom) Grow();
    return bytes_.get() + used_;
  }
  void Keep(char* end) {
    *end++ = ',';
    used_ = static_cast<size_t>(end - bytes_.get());
  }
  void Grow() {
    const size_t size = size_ == 0 ? 1024 : 2 * size_;
    auto bytes = std::make_unique_for_overwrite<char[]>(size);
    if (used_ != 0) std::memcpy(bytes.get(), bytes_.get(), used_);
    bytes_ = std::move(bytes);
    size_ = size;
  }

  std::unique_ptr<char[]> bytes_;
  size_t used_ = 0, size_ = 0;
};

}  // namespace jprof::firefox
