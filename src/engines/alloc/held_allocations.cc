#include "engines/alloc/held_allocations.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "engines/alloc/alloc_sampling.h"
#include "recording/context_fields.h"
#include "recording/jfr/jfr_events.h"

namespace jprof {
namespace {

std::string SizeText(double bytes) {
  constexpr auto kUnits = std::to_array({"bytes", "kB", "MB", "GB", "TB", "PB"});
  size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.2f %s", bytes, kUnits[unit]);
  return text;
}

uint64_t Rounded(double bytes) { return static_cast<uint64_t>(std::llround(bytes)); }

}  // namespace

void HeldAllocations::Hold(const ResolvedSample& resolved) {
  const Allocation allocation = AllocationOf(resolved, interval_);
  // A loss has the record of its thread alone.
  uint32_t& known = numbers_[resolved.sample.thread.serial()];
  const uint32_t number =
      resolved.lost ? known : resolved.sample.Payload<AllocPayload>().thread_number;
  known = number;
  const auto error = static_cast<double>(allocation.error_bytes);
  const AllocationSums sums{1, static_cast<double>(allocation.weight_bytes),
                            static_cast<double>(allocation.object_bytes), error * error};
  if (is_ending_ && allocation.time_ns > reading_.time_ns) {
    calibration_.AddEarly(number, sums);
  } else {
    calibration_.Add(number, sums);
  }
  held_.push_back({allocation, number, resolved.sample.trace, resolved.sample.context});
  const std::lock_guard lock(mutex_);
  sums_.Add(sums);
}

void HeldAllocations::BeforeSamples() {
  if (exact_ == Exact::kUnknown) return;
  is_ending_ = std::exchange(end_is_due_, false) || held_.size() >= kMostHeld;
  if (!is_ending_) {
    reading_ = threads_.TakeChanges();
    return;
  }
  if (std::optional<BytesReading> last = TakeLast()) {
    reading_ = std::move(*last);
  } else {
    reading_ = threads_.Take();
  }
}

// Of the stop. Its changes are reported once.
std::optional<BytesReading> HeldAllocations::TakeLast() {
  const std::lock_guard lock(mutex_);
  std::optional<BytesReading> last = last_;
  if (last_) last_->found = last_->ended = {};
  return last;
}

std::optional<Nanos> HeldAllocations::AfterSamples(OpenChunk& open) {
  if (exact_ == Exact::kUnknown) {
    Write(open);
    return std::nullopt;
  }
  // Later nothing knows the names of threads that have ended.
  for (ThreadBytes& thread : reading_.ended) {
    const bool may_be_single =
        thread.bytes / Calibration::kSingleIntervals >= static_cast<uint64_t>(interval_);
    if (may_be_single) thread.key = open.threads.KeyOf(thread.thread);
  }
  if (!is_ending_) {
    calibration_.Apply(reading_);
    return std::nullopt;
  }
  WriteGroups(calibration_.End(reading_), open);
  Write(open);
  const std::lock_guard lock(mutex_);
  exact_bytes_ = calibration_.exact();
  sums_ = calibration_.sums();
  return reading_.time_ns;
}

// Ratios are known by now, or 1.
void HeldAllocations::Write(OpenChunk& open) {
  for (Held& held : held_) {
    Allocation& allocation = held.allocation;
    const Scale scale = calibration_.ScaleOf(held.number);
    allocation.weight_bytes = Rounded(scale.Weight(static_cast<double>(allocation.weight_bytes),
                                                   static_cast<double>(allocation.object_bytes)));
    allocation.error_bytes = Rounded(scale.Error(static_cast<double>(allocation.error_bytes)));
    open.writer.SetTrailing(open.contexts.ValuesOf(held.trace, held.context));
    WriteAllocation(allocation, events_, open.writer);
  }
  open.writer.SetTrailing({});
  held_.clear();
  numbers_.clear();
}

void HeldAllocations::WriteGroups(const std::vector<CalibrationGroup>& groups,
                                  OpenChunk& open) const {
  for (const CalibrationGroup& group : groups) {
    const double exact = static_cast<double>(group.exact);
    AllocationCalibration event;
    event.time_ns = reading_.time_ns;
    event.group = group.name;
    const bool has_key = group.key != 0 || group.thread == SampledThread();
    event.thread_key = has_key ? group.key : open.threads.KeyOf(group.thread);
    event.threads = group.threads;
    event.samples = group.sums.samples;
    event.estimate_bytes = Rounded(group.sums.weight);
    event.exact_bytes = group.exact;
    event.ratio = group.sums.weight == 0 ? 0 : exact / group.sums.weight;
    event.error_bytes = Rounded(std::sqrt(group.sums.variance));
    open.writer.Append(event);
  }
}

void HeldAllocations::Stop() {
  if (exact_ == Exact::kUnknown) return;
  BytesReading reading = threads_.Take();
  const std::lock_guard lock(mutex_);
  if (!last_) last_ = std::move(reading);
}

void HeldAllocations::Forget() {
  if (exact_ == Exact::kUnknown) return;
  BytesReading reading = threads_.Take();
  calibration_.Restart(reading);
  const uint64_t all = threads_.Exact();
  const std::lock_guard lock(mutex_);
  unknown_ = all - exact_bytes_;
}

std::string HeldAllocations::Total() const {
  const bool is_running = [this] {
    const std::lock_guard lock(mutex_);
    return !last_;
  }();
  const uint64_t all = is_running && exact_ == Exact::kKnown ? threads_.Exact() : 0;
  const std::lock_guard lock(mutex_);
  char text[64] = "";
  if (sums_.weight > 0) {
    std::snprintf(text, sizeof text, " ± %.1f %%", 100 * std::sqrt(sums_.variance) / sums_.weight);
  }
  std::string total = "alloc: " + SizeText(sums_.weight) + text;
  if (exact_ == Exact::kUnknown) return total;
  const uint64_t exact = is_running ? all - unknown_ : exact_bytes_;
  return total + " (exact " + SizeText(static_cast<double>(exact)) + ')';
}

}  // namespace jprof
