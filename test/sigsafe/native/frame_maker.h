// FrameMaker writes .eh_frame and .debug_frame sections byte by byte.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace jprof::test {

using Bytes = std::vector<uint8_t>;

inline Bytes Uleb(uint64_t value) {
  Bytes bytes;
  do {
    bytes.push_back(static_cast<uint8_t>((value & 0x7f) | (value > 0x7f ? 0x80 : 0)));
    value >>= 7;
  } while (value != 0);
  return bytes;
}

inline Bytes Joined(std::initializer_list<Bytes> parts) {
  Bytes all;
  for (const Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

template <typename T>
void AppendFixed(Bytes* bytes, T value) {
  for (size_t i = 0; i < sizeof value; ++i) {
    bytes->push_back(static_cast<uint8_t>(static_cast<uint64_t>(value) >> (8 * i)));
  }
}

// Makes a section whose code addresses are absolute (encoding 0, 8 bytes).
class FrameMaker {
 public:
  static constexpr uint8_t kX64ReturnAddress = 16;

  explicit FrameMaker(bool is_debug_frame = false) : is_debug_frame_(is_debug_frame) {}

  // Adds a CIE and returns its offset. `augmentation` is "zR", "zRS", ...
  uint64_t AddCommon(const char* augmentation, const Bytes& instructions,
                     uint8_t return_address = kX64ReturnAddress, uint8_t version = 1) {
    Bytes content;
    if (is_debug_frame_) {
      AppendFixed<uint32_t>(&content, UINT32_MAX);
    } else {
      AppendFixed<uint32_t>(&content, 0);
    }
    content.push_back(version);
    for (const char* letter = augmentation; *letter != 0; ++letter) {
      content.push_back(static_cast<uint8_t>(*letter));
    }
    content.push_back(0);
    if (version == 4) content.insert(content.end(), {8, 0});
    content.push_back(1);     // code alignment
    content.push_back(0x78);  // data alignment: -8
    content.push_back(return_address);
    if (*augmentation == 'z') {
      content.push_back(1);  // length of the augmentation data
      content.push_back(0);  // R: absolute
    }
    content.insert(content.end(), instructions.begin(), instructions.end());
    return Append(content);
  }

  uint64_t AddFunction(uint64_t common, uint64_t begin, uint64_t size, const Bytes& instructions,
                       bool has_augmentation = true) {
    Bytes content;
    const uint64_t here = bytes.size() + sizeof(uint32_t);
    AppendFixed<uint32_t>(&content,
                          static_cast<uint32_t>(is_debug_frame_ ? common : here - common));
    AppendFixed(&content, begin);
    AppendFixed(&content, size);
    if (has_augmentation) content.push_back(0);
    content.insert(content.end(), instructions.begin(), instructions.end());
    return Append(content);
  }

  Bytes bytes;

 private:
  uint64_t Append(Bytes content) {
    while (content.size() % 4 != 0) content.push_back(0);  // DW_CFA_nop
    const uint64_t offset = bytes.size();
    AppendFixed<uint32_t>(&bytes, static_cast<uint32_t>(content.size()));
    bytes.insert(bytes.end(), content.begin(), content.end());
    return offset;
  }

  const bool is_debug_frame_;
};

}  // namespace jprof::test
