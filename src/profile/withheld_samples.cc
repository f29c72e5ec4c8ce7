#include "profile/withheld_samples.h"

#include <algorithm>
#include <string>
#include <utility>

namespace jprof::profile {

void WithheldSamples::Take(const SamplePlan& plan, int best, Sample sample) {
  if (const std::optional<int> rank = plan.rank()) {
    Kind& kind = KindOf(sample.kind);
    if (!kind.source && *rank == best) kind.source = best;
    if (!kind.source) return Hold(kind, *rank, sample);
    if (*kind.source != *rank) {
      ++kind.left_out[*rank];
      return;
    }
  } else if (plan.may_lack_durations()) {
    Kind& kind = KindOf(sample.kind);
    if (profile_.kinds[sample.kind].unit == SampleUnit::kSamples) sample.value = sample.samples;
    kind.has_durations |= sample.value != 0;
    if (!kind.has_durations) return Hold(kind, kNoRank, sample);
  }
  pass_(sample);
}

WithheldSamples::Kind& WithheldSamples::KindOf(uint32_t number) {
  if (number >= kinds_.size()) kinds_.resize(number + 1);
  return kinds_[number];
}

void WithheldSamples::Hold(Kind& kind, int rank, const Sample& sample) {
  kind.held.push_back({rank, sample});
  if (kind.held.size() == kMostSamples) Settle(kind);
}

void WithheldSamples::Settle(Kind& kind) {
  std::vector<Held> held = std::exchange(kind.held, {});
  if (held.empty()) return;
  const int least = std::ranges::min_element(held, {}, &Held::rank)->rank;
  if (least != kNoRank && !kind.source) kind.source = least;
  const bool is_counted = least == kNoRank && !kind.has_durations;
  if (is_counted) profile_.kinds[held.front().sample.kind].unit = SampleUnit::kSamples;
  for (Held& each : held) {
    if (kind.source && each.rank != *kind.source) {
      ++kind.left_out[each.rank];
      continue;
    }
    if (is_counted) each.sample.value = each.sample.samples;
    pass_(each.sample);
  }
}

void WithheldSamples::EndChunk() {
  for (Kind& kind : kinds_) Settle(kind);
}

void WithheldSamples::AddHeld(std::vector<Sample*>& all) {
  for (Kind& kind : kinds_) {
    for (Held& each : kind.held) all.push_back(&each.sample);
  }
}

std::vector<std::string> WithheldSamples::Notes() const {
  std::vector<std::string> notes;
  for (size_t number = 0; number < kinds_.size(); ++number) {
    const std::string& name = profile_.kinds[number].name;
    for (const auto& [rank, count] : kinds_[number].left_out) {
      notes.push_back(std::to_string(count) + " samples of " + SourceNames(name, rank) +
                      " are left out: the recording has the same " + name + " from " +
                      SourceNames(name, *kinds_[number].source));
    }
  }
  return notes;
}

}  // namespace jprof::profile
