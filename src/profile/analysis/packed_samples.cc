#include "profile/analysis/packed_samples.h"

#include <bit>

namespace jprof::profile {
namespace {

// The number of fields of a sample. FieldsOf returns all fields as unsigned 64-bit numbers, so that
// differences wrap around and do not overflow.
constexpr size_t kFields = 11;
constexpr size_t kTime = 0;
// An entry is a varint that says which fields follow, and one varint for each of these fields. A
// varint has at most ten bytes.
constexpr size_t kMaxEntry = 10 * (1 + kFields);

std::array<uint64_t, kFields> FieldsOf(const Sample& sample) {
  return {static_cast<uint64_t>(sample.time_ns),
          sample.thread,
          sample.stack,
          sample.kind,
          sample.state,
          static_cast<uint64_t>(sample.covers_ns),
          sample.samples,
          sample.value,
          sample.labels,
          std::bit_cast<uint64_t>(sample.variance),
          std::bit_cast<uint64_t>(sample.objects)};
}

Sample SampleOf(const std::array<uint64_t, kFields>& fields) {
  return {.kind = static_cast<uint32_t>(fields[3]),
          .thread = static_cast<uint32_t>(fields[1]),
          .stack = static_cast<uint32_t>(fields[2]),
          .time_ns = static_cast<int64_t>(fields[kTime]),
          .covers_ns = static_cast<int64_t>(fields[5]),
          .samples = fields[6],
          .value = fields[7],
          .variance = std::bit_cast<double>(fields[9]),
          .objects = std::bit_cast<double>(fields[10]),
          .state = static_cast<uint32_t>(fields[4]),
          .labels = static_cast<uint32_t>(fields[8])};
}

// Maps numbers near 0, whether positive or negative, to small unsigned numbers.
constexpr uint64_t Zigzag(uint64_t number) { return number << 1 ^ (0 - (number >> 63)); }
constexpr uint64_t FromZigzag(uint64_t number) { return number >> 1 ^ (0 - (number & 1)); }

uint8_t* Append(uint8_t* at, uint64_t number) {
  for (; number >= 0x80; number >>= 7) *at++ = static_cast<uint8_t>(number | 0x80);
  *at++ = static_cast<uint8_t>(number);
  return at;
}

uint64_t Next(const uint8_t*& at) {
  uint64_t number = 0;
  for (int shift = 0;; shift += 7) {
    const uint8_t byte = *at++;
    number |= uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return number;
  }
}

}  // namespace

void PackedSamples::Add(const Sample& sample) {
  if (blocks_.empty() || blocks_.back().bytes.size() - blocks_.back().used < kMaxEntry) {
    blocks_.emplace_back();
  }
  Block& block = blocks_.back();
  const auto fields = FieldsOf(sample), before = FieldsOf(last_);
  uint64_t present = 0;
  for (size_t i = 0; i < kFields; ++i) present |= uint64_t{fields[i] != before[i]} << i;
  uint8_t* at = Append(block.bytes.data() + block.used, present);
  for (size_t i = 0; i < kFields; ++i) {
    if (fields[i] == before[i]) continue;
    // A time is stored as the difference from the time of the previous sample, which is small.
    // Zigzag keeps small negative numbers short, such as some covered times.
    const uint64_t number = i == kTime ? fields[i] - before[i] : fields[i];
    at = Append(at, Zigzag(number));
  }
  block.used = static_cast<uint32_t>(at - block.bytes.data());
  last_ = sample;
  ++count_;
}

const uint8_t* PackedSamples::Unpack(const uint8_t* at, Sample& sample) {
  auto fields = FieldsOf(sample);
  uint64_t present = Next(at);
  for (size_t i = 0; i < kFields; ++i, present >>= 1) {
    if ((present & 1) == 0) continue;
    const uint64_t number = FromZigzag(Next(at));
    fields[i] = i == kTime ? fields[i] + number : number;
  }
  sample = SampleOf(fields);
  return at;
}

}  // namespace jprof::profile
