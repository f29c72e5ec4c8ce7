// libFuzzer target: no file makes the reader of symbols read out of its bounds. The input is the
// file.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "elf/symbol_table.h"

namespace {

constexpr uint64_t kLastAddress = 0x4000;
constexpr uint64_t kStep = 0x40;

std::vector<uint64_t> Addresses() {
  std::vector<uint64_t> addresses{UINT64_MAX};
  for (uint64_t address = 0; address < kLastAddress; address += kStep) addresses.push_back(address);
  return addresses;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  jprof::Result<jprof::ElfImage> image =
      jprof::ElfImage::Parse(jprof::ByteSource::Memory(data, size), "fuzz.so");
  if (!image.ok()) return 0;
  static const std::vector<uint64_t> addresses = Addresses();
  const auto symbols = jprof::ResolveSymbols(image.value(), addresses);
  if (symbols.ok() && symbols.value().size() != addresses.size()) __builtin_trap();
  image.value().BuildId();
  image.value().SectionNamed(".gnu_debuglink");
  return 0;
}
