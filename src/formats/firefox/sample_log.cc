#include "formats/firefox/sample_log.h"

#include <algorithm>

#include "formats/credible_time.h"

namespace jprof::firefox {
namespace {

void Append(std::deque<uint8_t>& bytes, uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes.push_back(static_cast<uint8_t>(number | 0x80));
  bytes.push_back(static_cast<uint8_t>(number));
}

}  // namespace

void SampleLog::Add(const profile::Sample& sample) {
  const std::pair key(sample.kind, sample.thread);
  if (last_ == nullptr || last_key_ != key) {
    last_ = &streams_[key];
    last_key_ = key;
  }
  Stream& stream = *last_;
  const int64_t time_ns = CredibleTime(sample.time_ns);
  if (stream.count != 0 && time_ns < stream.last_ns) stream.is_ascending = false;
  // Zigzag: small changes of either sign are small numbers.
  const uint64_t change = static_cast<uint64_t>(time_ns) - static_cast<uint64_t>(stream.last_ns);
  Append(stream.bytes, change << 1 ^ (0 - (change >> 63)));
  const bool has_samples = sample.samples != 1;
  const bool has_value = sample.value != sample.samples;
  Append(stream.bytes,
         uint64_t{sample.state} << 2 | (has_value ? 2u : 0u) | (has_samples ? 1u : 0u));
  Append(stream.bytes, sample.stack);
  if (has_samples) Append(stream.bytes, sample.samples);
  if (has_value) Append(stream.bytes, sample.value);
  stream.last_ns = time_ns;
  ++stream.count;
  first_ns_ = std::min(first_ns_, time_ns);
  stream.samples += sample.samples;
}

std::vector<LoggedSample> SampleLog::Of(uint32_t kind, uint32_t thread) const {
  std::vector<LoggedSample> samples;
  const auto found = streams_.find({kind, thread});
  if (found == streams_.end()) return samples;
  samples.reserve(found->second.count);
  Decode(found->second, [&samples](const LoggedSample& sample) { samples.push_back(sample); });
  if (!found->second.is_ascending) {
    std::stable_sort(
        samples.begin(), samples.end(),
        [](const LoggedSample& a, const LoggedSample& b) { return a.time_ns < b.time_ns; });
  }
  return samples;
}

uint64_t SampleLog::CountOf(uint32_t kind, uint32_t thread) const {
  const auto found = streams_.find({kind, thread});
  return found == streams_.end() ? 0 : found->second.samples;
}

}  // namespace jprof::firefox
