#include "engines/alloc/held_allocations.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/placeholders.h"
#include "base/scaled_text.h"
#include "chunks/context_fields.h"
#include "chunks/stack_constants.h"
#include "engines/alloc/alloc_events.h"
#include "jfr/writer/jfr_events.h"

namespace jprof {
namespace {

constexpr char kOwnGroup[] = "probes of jprof";

// Returns a text such as "1.23 GB ± 1.8 %". A variance of 0 means that the sums contain only the
// sampled objects.
std::string EstimateText(const AllocationSums& sums) {
  if (sums.samples == 0) return "no object was sampled";
  const std::string size = SizeText(sums.weight);
  if (sums.variance <= 0) return size + ", of the sampled objects alone";
  char text[32];
  std::snprintf(text, sizeof text, " ± %.1f %%", 100 * std::sqrt(sums.variance) / sums.weight);
  return size + text;
}

}  // namespace

void HeldAllocations::Hold(const ResolvedSample& resolved) {
  const Allocation allocation = AllocationOf(resolved, interval_);
  Held held{allocation, 0, resolved.sample.trace, resolved.sample.context, false};
  const auto error = static_cast<double>(allocation.error_bytes);
  const AllocationSums sums{1, static_cast<double>(allocation.weight_bytes),
                            static_cast<double>(allocation.object_bytes), error * error};
  if (!resolved.lost) {
    const auto payload = resolved.sample.Payload<AllocPayload>();
    held.number = payload.thread_number;
    held.is_own = payload.class_number == 0;
  }
  if (exact_ == Exact::kKnown) {
    calibration_.SampledEvery(interval_ * allocation.interval_factor);
    if (resolved.lost) {
      losses_[resolved.sample.thread.serial()].push_back({held_.size(), sums.weight});
    } else if (is_last_ && allocation.time_ns > reading_.time_ns) {
      return;  // the sample came after the last reading, which ends the recording
    } else {
      calibration_.Add(held.number, sums);
    }
  }
  // The counters of threads include the agent's own objects. Therefore samples of these objects are
  // used to calibrate, although the program has not allocated the objects.
  if (held.is_own && exact_ != Exact::kKnown) return;
  held_.push_back(held);
  const std::lock_guard lock(mutex_);
  sums_.Add(sums);
}

// Adds the losses to the sums of their threads. A loss has only the serial of its thread and the
// time of the drain. It belongs to the period that ends with the next reading of its thread's
// counter. A loss of a thread that started after the reading therefore waits for the next reading.
void HeldAllocations::CountLosses() {
  for (const auto* const threads : {&reading_.running, &reading_.ended}) {
    for (const ThreadBytes& thread : *threads) {
      const auto found = losses_.find(thread.thread.serial());
      if (found == losses_.end()) continue;
      for (const Loss& loss : found->second) Count(loss, thread.number);
      losses_.erase(found);
    }
  }
  if (!is_ending_) return;
  for (auto& [serial, losses] : losses_) {
    std::erase_if(losses, [this](const Loss& loss) {
      if (loss.index == kWritten) Count(loss, 0);
      return loss.index == kWritten;
    });
  }
  std::erase_if(losses_, [](const auto& of_thread) { return of_thread.second.empty(); });
}

void HeldAllocations::Count(const Loss& loss, uint32_t number) {
  if (loss.index != kWritten) held_[loss.index].number = number;
  calibration_.Add(number, {1, loss.weight});
}

// If the period ends now, or threads have ended, requests the losses together with the samples,
// because the counters just read include the bytes that the losses stand for.
void HeldAllocations::BeforeSamples(OpenChunk& open) {
  if (exact_ == Exact::kUnknown) return;
  is_ending_ = open.is_last || held_.size() >= kMostHeld;
  if (!is_ending_) {
    reading_ = threads_.TakeChanges();
  } else if (std::optional<BytesReading> last = TakeLast()) {
    reading_ = std::move(*last);
    is_last_ = true;
  } else {
    reading_ = threads_.Take();
  }
  open.takes_losses |= is_ending_ || !reading_.ended.empty();
}

// Returns the reading that Stop took, if there is one. Only the first result contains the threads
// that were found or have ended.
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
  // Looks up the keys of ended threads now, because the threads' names are not known later.
  for (ThreadBytes& thread : reading_.ended) {
    const bool may_be_single =
        thread.bytes / Calibration::kSingleIntervals >= static_cast<uint64_t>(interval_);
    if (may_be_single) thread.key = open.threads.KeyOf(thread.thread);
  }
  CountLosses();
  if (!is_ending_) {
    calibration_.Apply(reading_);
    return std::nullopt;
  }
  WriteGroups(
      calibration_.End(reading_, is_last_ ? Calibration::IsLast::kYes : Calibration::IsLast::kNo),
      open);
  Write(open);
  WriteUnseen(open);
  const std::lock_guard lock(mutex_);
  exact_bytes_ = calibration_.exact();
  sums_ = calibration_.sums();
  return reading_.time_ns;
}

// Writes the held samples. REQUIRES: the period has ended, or samples are not scaled.
void HeldAllocations::Write(OpenChunk& open) {
  AllocationSums own;
  for (Held& held : held_) {
    Allocation& allocation = held.allocation;
    const Scale scale = calibration_.ScaleOf(held.number);
    const double weight = scale.Weight(static_cast<double>(allocation.weight_bytes),
                                       static_cast<double>(allocation.object_bytes));
    if (held.is_own) {
      own.Add({1, weight});
      continue;
    }
    allocation.weight_bytes = RoundedBytes(std::max(0.0, weight + rounding_));
    rounding_ += weight - static_cast<double>(allocation.weight_bytes);
    allocation.error_bytes = RoundedBytes(scale.Error(static_cast<double>(allocation.error_bytes)));
    open.writer.SetTrailing(open.contexts.ValuesOf(held.trace, held.context));
    WriteAllocation(allocation, events_, open.writer);
  }
  open.writer.SetTrailing({});
  held_.clear();
  for (auto& [serial, losses] : losses_) {
    for (Loss& loss : losses) loss.index = kWritten;
  }
  if (own.samples != 0) WriteOwn(own, open);
  const std::lock_guard lock(mutex_);
  own_bytes_ += own.weight;
}

// Writes the bytes of the agent's objects. The total includes these bytes, but no event of a sample
// does. Readers must subtract them from the total to get the sum of the events.
void HeldAllocations::WriteOwn(const AllocationSums& own, OpenChunk& open) const {
  AllocationCalibration event;
  event.time_ns = reading_.time_ns;
  event.group = kOwnGroup;
  event.samples = own.samples;
  event.exact_bytes = RoundedBytes(own.weight);
  open.writer.Append(event);
}

void HeldAllocations::WriteUnseen(OpenChunk& open) {
  const auto write = [&](Placeholder marker, double bytes, double error) {
    if (RoundedBytes(bytes) == 0) return;
    Allocation allocation{};
    allocation.time_ns = reading_.time_ns;
    allocation.stack_key = open.stacks.NewMarker(marker);
    allocation.weight_bytes = RoundedBytes(bytes);
    allocation.error_bytes = RoundedBytes(error);
    WriteAllocation(allocation, events_, open.writer);
  };
  const Unseen& unseen = calibration_.unseen();
  write(Placeholder::kNotAnnounced, unseen.not_announced, unseen.error);
  write(Placeholder::kNotSampled, unseen.not_sampled, 0);
  const std::lock_guard lock(mutex_);
  not_announced_ += unseen.not_announced;
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
    event.estimate_bytes = RoundedBytes(group.sums.weight);
    event.exact_bytes = group.exact;
    event.ratio = group.sums.weight == 0 ? 0 : exact / group.sums.weight;
    event.error_bytes = RoundedBytes(std::sqrt(group.sums.variance));
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
  const std::string estimate = EstimateText(sums_);
  if (exact_ == Exact::kUnknown) {
    return sums_.samples == 0 ? "alloc: not measured, because " + estimate : "alloc: " + estimate;
  }
  const uint64_t exact = is_running ? all - unknown_ : exact_bytes_;
  std::string line = "alloc: " + SizeText(static_cast<double>(exact)) + " counted by the JVM (" +
                     (sums_.samples == 0 ? "" : "samples before they are scaled to it: ") +
                     estimate + ')';
  if (not_announced_ >= 1) {
    line += ", " + SizeText(not_announced_) + " of it not announced: stacks of virtual threads";
  }
  if (own_bytes_ >= 1) line += ", " + SizeText(own_bytes_) + " of it by the probes of jprof";
  return line;
}

}  // namespace jprof
