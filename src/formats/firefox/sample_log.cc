#include "formats/firefox/sample_log.h"

#include <algorithm>
#include <utility>

#include "formats/credible_time.h"

namespace jprof::firefox {
namespace {

constexpr uint32_t kMaxEntry = 5 * 10;  // five varints of at most ten bytes
// Sizes of blocks in bytes. The first block is small: most threads of a recording have few samples.
constexpr uint32_t kFirstBlock = 128, kLargestBlock = 16 * 1024;

uint8_t* Append(uint8_t* at, uint64_t number) {
  for (; number >= 0x80; number >>= 7) *at++ = static_cast<uint8_t>(number | 0x80);
  *at++ = static_cast<uint8_t>(number);
  return at;
}

}  // namespace

SampleLog::Block& SampleLog::BlockFor(Stream& stream) {
  std::vector<Block>& blocks = stream.blocks;
  if (blocks.empty() || blocks.back().size - blocks.back().used < kMaxEntry) {
    const uint32_t size =
        blocks.empty() ? kFirstBlock : std::min(2 * blocks.back().size, kLargestBlock);
    blocks.push_back({std::make_unique_for_overwrite<uint8_t[]>(size), 0, size});
  }
  return blocks.back();
}

void SampleLog::Add(const profile::Sample& sample) {
  const std::pair key(sample.thread, sample.kind);
  Recent& recent = recent_[(size_t{4} * sample.thread + sample.kind) % recent_.size()];
  if (recent.stream == nullptr || recent.key != key) {
    std::vector<Stream>& streams = streams_[key];
    if (streams.empty()) streams.emplace_back();
    recent = {key, &streams.back()};
  }
  Stream& stream = *recent.stream;
  const int64_t time_ns = CredibleTime(sample.time_ns);
  if (stream.count != 0 && time_ns < stream.last_ns) stream.is_ascending = false;
  // `change` is written in zigzag code, in which small positive and small negative changes are
  // small numbers.
  const uint64_t change = static_cast<uint64_t>(time_ns) - static_cast<uint64_t>(stream.last_ns);
  Block& block = BlockFor(stream);
  uint8_t* at = block.bytes.get() + block.used;
  at = Append(at, change << 1 ^ (0 - (change >> 63)));
  const bool has_samples = sample.samples != 1;
  const bool has_value = sample.value != stream.last_value;
  at = Append(at, uint64_t{sample.state} << 2 | (has_value ? 2u : 0u) | (has_samples ? 1u : 0u));
  at = Append(at, sample.stack);
  if (has_samples) at = Append(at, sample.samples);
  if (has_value) at = Append(at, sample.value);
  block.used = static_cast<uint32_t>(at - block.bytes.get());
  stream.last_ns = time_ns;
  stream.last_value = sample.value;
  ++stream.count;
  first_ns_ = std::min(first_ns_, time_ns);
  stream.samples += sample.samples;
}

std::vector<LoggedSample> SampleLog::Of(uint32_t kind, uint32_t thread) const {
  std::vector<LoggedSample> samples;
  const auto found = streams_.find({thread, kind});
  if (found == streams_.end()) return samples;
  bool is_ascending = found->second.size() == 1;
  size_t count = 0;
  for (const Stream& stream : found->second) count += stream.count;
  samples.reserve(count);
  for (const Stream& stream : found->second) {
    Decode(stream, [&samples](const LoggedSample& sample) { samples.push_back(sample); });
    is_ascending = is_ascending && stream.is_ascending;
  }
  if (!is_ascending) {
    std::stable_sort(
        samples.begin(), samples.end(),
        [](const LoggedSample& a, const LoggedSample& b) { return a.time_ns < b.time_ns; });
  }
  return samples;
}

void SampleLog::Join(uint32_t from, uint32_t to) {
  recent_ = {};
  for (auto at = streams_.lower_bound({from, 0});
       at != streams_.end() && at->first.first == from;) {
    auto moved = streams_.extract(at++);
    std::vector<Stream>& streams = streams_[{to, moved.key().second}];
    for (Stream& stream : moved.mapped()) streams.push_back(std::move(stream));
  }
}

std::map<uint32_t, uint64_t> SampleLog::CountsByThread() const {
  std::map<uint32_t, uint64_t> counts;
  for (const auto& [key, streams] : streams_) {
    for (const Stream& stream : streams) counts[key.first] += stream.samples;
  }
  return counts;
}

uint64_t SampleLog::CountOf(uint32_t kind, uint32_t thread) const {
  const auto found = streams_.find({thread, kind});
  uint64_t samples = 0;
  if (found == streams_.end()) return samples;
  for (const Stream& stream : found->second) samples += stream.samples;
  return samples;
}

}  // namespace jprof::firefox
