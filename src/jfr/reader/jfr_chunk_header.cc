#include "jfr/reader/jfr_chunk_header.h"

#include <cstring>

namespace jprof::profile {
namespace {

constexpr uint8_t kMagic[] = {'F', 'L', 'R', 0};
constexpr uint16_t kCompressedFlag = 1;
constexpr double kLimit = 9.2e18;  // less than the largest int64_t

int64_t Clamped(double value) {
  if (value > kLimit) return static_cast<int64_t>(kLimit);
  if (value < -kLimit) return static_cast<int64_t>(-kLimit);
  return static_cast<int64_t>(value);
}

}  // namespace

bool JfrChunkHeader::HasMagic(std::span<const uint8_t> bytes) {
  return bytes.size() >= sizeof kMagic && std::memcmp(bytes.data(), kMagic, sizeof kMagic) == 0;
}

std::optional<JfrChunkHeader> JfrChunkHeader::Parse(std::span<const uint8_t> bytes) {
  if (bytes.size() < static_cast<size_t>(kSize) || !HasMagic(bytes)) return std::nullopt;
  ByteCursor cursor(bytes.subspan(sizeof kMagic), JfrIntegers::kPlain);
  const auto next = [&cursor] { return static_cast<int64_t>(cursor.Long()); };
  JfrChunkHeader header;
  header.major = cursor.Short();
  header.minor = cursor.Short();
  header.size = next();
  header.checkpoint_offset = next();
  header.metadata_offset = next();
  header.start_epoch_ns = next();
  header.duration_ns = next();
  header.start_ticks = next();
  header.ticks_per_second = next();
  header.state = cursor.Byte();
  cursor.Byte();
  header.integers =
      (cursor.Short() & kCompressedFlag) != 0 ? JfrIntegers::kCompressed : JfrIntegers::kPlain;
  return header;
}

int64_t JfrChunkHeader::NanosOfTicks(int64_t ticks) const {
  if (ticks_per_second <= 0) return ticks;
  return Clamped(static_cast<double>(ticks) * (1e9 / static_cast<double>(ticks_per_second)));
}

int64_t JfrChunkHeader::EpochNanos(int64_t ticks) const {
  // The arithmetic is unsigned, so that hostile values wrap around instead of overflowing.
  const auto elapsed =
      static_cast<int64_t>(static_cast<uint64_t>(ticks) - static_cast<uint64_t>(start_ticks));
  return static_cast<int64_t>(static_cast<uint64_t>(start_epoch_ns) +
                              static_cast<uint64_t>(NanosOfTicks(elapsed)));
}

Error NotARecording(const std::string& name) {
  return Error("'" + name + "' is not a JFR recording: it does not begin with \"FLR\".");
}

}  // namespace jprof::profile
