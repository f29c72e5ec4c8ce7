#include "sigsafe/native/frame_bytes.h"

#include <cstring>

namespace jprof {

template <typename T>
T FrameBytes::Fixed() {
  if (!ok_ || bytes_.size() - position_ < sizeof(T)) {
    Fail();
    return 0;
  }
  T value;
  memcpy(&value, bytes_.data() + position_, sizeof value);
  position_ += sizeof value;
  return value;
}

template uint8_t FrameBytes::Fixed();
template uint16_t FrameBytes::Fixed();
template uint32_t FrameBytes::Fixed();
template uint64_t FrameBytes::Fixed();

void FrameBytes::MoveTo(size_t position) {
  if (position > bytes_.size()) return Fail();
  position_ = position;
}

void FrameBytes::Skip(uint64_t n) {
  if (!ok_ || n > bytes_.size() - position_) return Fail();
  position_ += n;
}

FrameBytes FrameBytes::Take(uint64_t n) {
  const size_t begin = position_;
  Skip(n);
  if (!ok_) return {{}, 0};
  return {bytes_.subspan(begin, n), address_ + begin};
}

uint64_t FrameBytes::Uleb() {
  uint64_t value = 0;
  for (unsigned shift = 0; ok_; shift += 7) {
    const uint8_t byte = U8();
    if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
    if ((byte & 0x80) == 0) break;
  }
  return ok_ ? value : 0;
}

int64_t FrameBytes::Sleb() {
  uint64_t value = 0;
  for (unsigned shift = 0; ok_;) {
    const uint8_t byte = U8();
    if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
    shift += 7;
    if ((byte & 0x80) != 0) continue;
    if (shift < 64 && (byte & 0x40) != 0) value |= ~uint64_t{0} << shift;
    break;
  }
  return ok_ ? static_cast<int64_t>(value) : 0;
}

uint64_t FrameBytes::PointerFormat(uint8_t encoding) {
  switch (encoding & eh_pointer::kFormat) {
    case eh_pointer::kAbsolute:
    case eh_pointer::kUdata8:
    case eh_pointer::kSdata8:
      return U64();
    case eh_pointer::kUleb128:
      return Uleb();
    case eh_pointer::kSleb128:
      return static_cast<uint64_t>(Sleb());
    case eh_pointer::kUdata2:
      return U16();
    case eh_pointer::kUdata4:
      return U32();
    case eh_pointer::kSdata2:
      return static_cast<uint64_t>(int64_t{static_cast<int16_t>(U16())});
    case eh_pointer::kSdata4:
      return static_cast<uint64_t>(int64_t{static_cast<int32_t>(U32())});
    default:
      Fail();
      return 0;
  }
}

uint64_t FrameBytes::Pointer(uint8_t encoding, uint64_t data_base) {
  const uint64_t here = address();
  const uint64_t value = PointerFormat(encoding);
  const uint8_t base = encoding & eh_pointer::kBase;
  if (encoding == eh_pointer::kOmitted || (encoding & eh_pointer::kIndirect) != 0) Fail();
  if (base == eh_pointer::kPcRelative) return ok_ ? here + value : 0;
  if (base == eh_pointer::kDataRelative && data_base != 0) return ok_ ? data_base + value : 0;
  if (base != 0) Fail();
  return ok_ ? value : 0;
}

}  // namespace jprof
