#include "base/hex_text.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <array>

#include "sigsafe/base/check.h"

namespace jprof {

// Uses the system call getrandom, since glibc has no function for it before 2.25.
Result<std::string> RandomHex(size_t bytes) {
  std::array<unsigned char, 256> random{};
  JPROF_CHECK(bytes <= random.size());
  if (syscall(SYS_getrandom, random.data(), bytes, 0) != static_cast<long>(bytes)) {
    return Error::FromErrno("getrandom", "");
  }
  std::string digits;
  for (size_t i = 0; i < bytes; ++i) {
    digits += {"0123456789abcdef"[random[i] >> 4], "0123456789abcdef"[random[i] & 15]};
  }
  return digits;
}

void AppendHex(uint64_t number, std::string& text) {
  for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[number >> shift & 15];
}

std::string HexText(uint64_t number) {
  std::string text;
  AppendHex(number, text);
  return text;
}

}  // namespace jprof
