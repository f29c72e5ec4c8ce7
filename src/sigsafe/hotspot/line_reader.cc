#include "sigsafe/hotspot/line_reader.h"

#include "sigsafe/hotspot/unsigned5.h"

namespace jprof {

uint32_t LineReader::Number() {
  uint32_t number = 0;
  const auto read_byte = [this](uint8_t* byte) {
    *byte = Byte();
    return true;
  };
  static_cast<void>(DecodeUnsigned5(bias_, read_byte, &number));  // each byte can be read
  return (number >> 1) ^ (0 - (number & 1));
}

bool LineReader::Next(int32_t* first_bci, int32_t* line) {
  constexpr uint8_t kEscape = 0xff;
  const uint8_t code = Byte();
  if (code == 0) return false;
  if (code == kEscape) {
    bci_ += Number();
    line_ += Number();
  } else {
    bci_ += code >> 3;
    line_ += code & 7;
  }
  *first_bci = static_cast<int32_t>(bci_);
  *line = static_cast<int32_t>(line_);
  return true;
}

}  // namespace jprof
