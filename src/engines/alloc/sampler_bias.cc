#include "engines/alloc/sampler_bias.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engines/alloc/alloc_events.h"

namespace jprof {
namespace {

constexpr int kFirstRight = 25;          // first release without bias: JDK-8356372
constexpr int kFirstWithOtherBias = 12;  // first release whose bias differs from that of JDK 11
// The smallest and the largest biased object, in intervals. Nearly all larger objects are sampled
// in spite of the error.
constexpr double kSmallest = 0.05;
constexpr double kLargest = 2;
// The smallest biased object of JDK 12 to 24, in bytes. These releases leave out samples of objects
// that are allocated outside of TLABs, so samples cannot show which objects are affected. Few
// objects below this size are allocated outside of TLABs.
constexpr uint64_t kSmallestOutside = 8192;
constexpr double kShare = 0.01;
constexpr double kStandardErrors = 4;
// Nearly all objects of at least this many intervals are sampled.
constexpr uint64_t kRightIntervals = 4;
constexpr uint64_t kLeastInterval = 4096;

}  // namespace

const char* SamplerBias::Cause() const {
  if (release_ >= kFirstRight) return nullptr;
  return release_ < kFirstWithOtherBias ? "JDK 11 samples too soon after large objects"
                                        : "JDK-8356372, near objects outside of TLABs";
}

bool SamplerBias::Concerns(const AllocPayload& sample) const {
  const double interval = interval_ * std::max<double>(sample.interval_factor, 1);
  const double intervals = static_cast<double>(sample.object_bytes) / interval;
  if (release_ >= kFirstRight || intervals < kSmallest || intervals > kLargest) return false;
  return release_ < kFirstWithOtherBias || sample.object_bytes >= kSmallestOutside;
}

void SamplerBias::Count(const AllocPayload& sample, double weight) {
  const std::lock_guard lock(mutex_);
  bytes_ += weight;
  if (!Concerns(sample)) return;
  concerned_ += weight;
  variance_ += weight * weight;
  smallest_ = std::min(smallest_, sample.object_bytes);
}

std::string SamplerBias::Warning() const {
  const std::lock_guard lock(mutex_);
  if (concerned_ - kStandardErrors * std::sqrt(variance_) <= kShare * bytes_) return "";
  const uint64_t right = std::max(std::bit_floor(smallest_ / kRightIntervals), kLeastInterval);
  const bool is_known = release_ >= kFirstWithOtherBias && static_cast<double>(right) < interval_;
  return "warning: alloc: " + std::to_string(std::lround(100 * concerned_ / bytes_)) +
         " % of the bytes are of objects that this JVM samples wrongly (" + Cause() +
         "): sums of classes and sites may be off by up to a quarter, which their standard error "
         "does not include; those of threads are right" +
         (is_known ? ": alloc=" + std::to_string(right / 1024) + "k samples these objects rightly"
                   : "");
}

}  // namespace jprof
