#include "profile/sample_part.h"

#include <algorithm>

namespace jprof::profile {
namespace {

__extension__ using Product = unsigned __int128;

// Returns the part of `weight`, spread evenly over `interval`, that lies before `time_ns`.
uint64_t Before(int64_t time_ns, Interval interval, uint64_t weight) {
  if (time_ns <= interval.from_ns) return 0;
  if (time_ns >= interval.to_ns) return weight;
  const uint64_t whole =
      static_cast<uint64_t>(interval.to_ns) - static_cast<uint64_t>(interval.from_ns);
  const uint64_t part = static_cast<uint64_t>(time_ns) - static_cast<uint64_t>(interval.from_ns);
  return static_cast<uint64_t>((Product{weight} * part + whole / 2) / whole);
}

}  // namespace

Sample PartWithin(const Sample& sample, Interval window) {
  const Interval interval = IntervalOf(sample);
  if (window.from_ns <= interval.from_ns && interval.to_ns < window.to_ns) return sample;
  Sample cut = sample;
  if (interval.from_ns == interval.to_ns) {
    const bool is_inside = window.from_ns <= sample.time_ns && sample.time_ns < window.to_ns;
    if (!is_inside) cut.samples = cut.value = 0;
    return cut;
  }
  const auto part_of = [&](uint64_t weight) {
    if (window.to_ns <= window.from_ns) return uint64_t{0};
    return Before(window.to_ns, interval, weight) - Before(window.from_ns, interval, weight);
  };
  cut.samples = part_of(sample.samples);
  cut.value = part_of(sample.value);
  // An event with a duration counts as one event in each window that it reaches.
  if (cut.value != 0) cut.samples = std::max<uint64_t>(cut.samples, 1);
  cut.variance = cut.objects = kNotKnown;  // only samples of a moment are estimates
  if (cut.samples == 0 && cut.value == 0) return cut;
  const Interval left{std::max(interval.from_ns, window.from_ns),
                      std::min(interval.to_ns, window.to_ns)};
  cut.time_ns = sample.covers_ns < 0 ? left.to_ns : left.from_ns;
  cut.covers_ns = sample.covers_ns < 0 ? left.from_ns - left.to_ns : left.to_ns - left.from_ns;
  return cut;
}

}  // namespace jprof::profile
