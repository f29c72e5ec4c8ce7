#include "formats/firefox/thread_samples.h"

#include <algorithm>
#include <limits>

#include "formats/credible_time.h"
#include "formats/firefox/categories.h"

namespace jprof::firefox {
namespace {

using profile::CallTree;
using profile::SampleKind;
using profile::SampleUnit;

// The kinds that are sampled at intervals, in order of preference. Other kinds are events, which
// become markers.
constexpr std::string_view kSampledKinds[] = {"wall", "cpu", "cpu-time", "native"};

constexpr int64_t kGuessedInterval = 10'000'000;
// The longest credible time, in nanoseconds.
constexpr int64_t kLongest = int64_t{1} << 53;

int64_t TimesInterval(uint64_t samples, int64_t interval_ns) {
  const auto most = static_cast<uint64_t>(kLongest / interval_ns);
  return static_cast<int64_t>(std::min(samples, most)) * interval_ns;
}

// RowsAndGaps adds rows. For each period between two rows in which the thread did not run, it also
// adds two rows without a stack: one at the start of the period and one at its end.
class RowsAndGaps {
 public:
  RowsAndGaps(int64_t interval_ns, RowSink& rows) : interval_ns_(interval_ns), rows_(rows) {}

  // If more than an interval lies between the last row and `begin_ns`, adds the two rows that show
  // that the thread did not run in between.
  void IdleUntil(int64_t begin_ns) {
    if (is_empty_) {
      Add({.time_ns = begin_ns});
    } else if (begin_ns - last_ns_ > interval_ns_) {
      EndActivity();
      if (begin_ns > last_ns_) Add({.time_ns = begin_ns});
    }
  }

  void EndActivity() {
    if (!is_empty_) Add({.time_ns = last_ns_ + interval_ns_});
  }

  void Add(SampleRow row) {
    if (!is_empty_) row.time_ns = std::max(row.time_ns, last_ns_);
    is_empty_ = false;
    last_ns_ = row.time_ns;
    rows_.Add(row);
  }

 private:
  const int64_t interval_ns_;
  RowSink& rows_;
  bool is_empty_ = true;
  int64_t last_ns_ = 0;
};

// RowsWithCpuTime passes rows on and sets their CPU time, which it takes from CpuUses.
class RowsWithCpuTime : public RowSink {
 public:
  RowsWithCpuTime(const CpuUses& cpu, RowSink& rows) : cpu_(cpu), rows_(rows) {}

  void Add(const SampleRow& row) override {
    // The front end ignores the CPU time of the first row. So if CPU time was used before the first
    // sample, an extra row is added at the start of this use.
    if (is_empty_ && cpu_.first_ns() < row.time_ns) AddOne({.time_ns = cpu_.first_ns()});
    AddOne(row);
  }

  void Finish() {
    if (!is_empty_ && cpu_.last_ns() > last_ns_) AddOne({.time_ns = cpu_.last_ns()});
  }

 private:
  void AddOne(SampleRow row) {
    row.cpu_ns = 0;
    for (; next_ < cpu_.uses().size() && cpu_.uses()[next_].time_ns <= row.time_ns; ++next_) {
      row.cpu_ns += cpu_.uses()[next_].cpu_ns;
    }
    is_empty_ = false;
    last_ns_ = row.time_ns;
    rows_.Add(row);
  }

  const CpuUses& cpu_;
  RowSink& rows_;
  size_t next_ = 0;  // index into cpu_.uses()
  bool is_empty_ = true;
  int64_t last_ns_ = 0;
};

int64_t CpuTimeOf(const SampleKind& kind, const LoggedSample& sample, int64_t interval_ns) {
  return kind.unit == SampleUnit::kNanos
             ? static_cast<int64_t>(std::min<uint64_t>(sample.value, kLongest))
             : TimesInterval(sample.samples, interval_ns);
}

bool IsRunning(std::string_view state) {
  return state == "STATE_RUNNABLE" || state == "STATE_DEFAULT" || state.empty();
}

}  // namespace

SampleRoles::SampleRoles(const profile::Profile& profile, std::optional<uint32_t> chosen) {
  for (const std::string_view name : kSampledKinds) {
    for (uint32_t i = 0; i < profile.kinds.size(); ++i) {
      if (profile.kinds[i].name == name && profile.kinds[i].samples != 0) sampled.push_back(i);
    }
  }
  for (const uint32_t i : profile.KindsInOrder()) {
    const SampleKind& kind = profile.kinds[i];
    if (kind.unit == SampleUnit::kBytes && kind.samples != 0 && (!allocated || chosen == i)) {
      allocated = i;
    }
  }
  is_live = allocated && profile.kinds[*allocated].name == "live";
  if (!sampled.empty() || !chosen || chosen == allocated) return;
  // The recording has only events and no samples. So the samples table shows the events of the
  // chosen kind: their durations by stack.
  sampled.push_back(*chosen);
  if (profile.kinds[*chosen].unit == SampleUnit::kNanos) weight = Weight::kMillis;
}

int64_t IntervalOf(const SampleKind& kind) {
  return kind.interval_ns > 0 ? std::min(kind.interval_ns, kLongest) : kGuessedInterval;
}

CpuUses::CpuUses(const SampleKind& kind, std::span<const LoggedSample> samples) {
  if (samples.empty()) return;
  const int64_t interval_ns = IntervalOf(kind);
  uses_.reserve(samples.size());
  for (const LoggedSample& sample : samples) {
    const int64_t used_ns = CpuTimeOf(kind, sample, interval_ns);
    uses_.push_back({sample.time_ns, static_cast<uint64_t>(used_ns)});
  }
  first_ns_ = samples.front().time_ns - static_cast<int64_t>(uses_.front().cpu_ns);
  last_ns_ = samples.back().time_ns + interval_ns;
}

void AddCpuRows(const SampleKind& kind, std::span<const LoggedSample> samples, RowSink& sink) {
  const int64_t interval_ns = IntervalOf(kind);
  RowsAndGaps rows(interval_ns, sink);
  for (const LoggedSample& sample : samples) {
    const int64_t busy_ns = CpuTimeOf(kind, sample, interval_ns);
    rows.IdleUntil(sample.time_ns - busy_ns);
    rows.Add({.time_ns = sample.time_ns,
              .cpu_ns = static_cast<uint64_t>(busy_ns),
              .samples = sample.samples,
              .stack = sample.stack});
  }
  rows.EndActivity();
}

void AddElapsedRows(const profile::Profile& profile, const SampleKind& kind,
                    std::span<const LoggedSample> samples, const CpuUses* cpu, RowSink& sink) {
  if (cpu != nullptr && !cpu->uses().empty()) {
    RowsWithCpuTime with_cpu(*cpu, sink);
    AddElapsedRows(profile, kind, samples, nullptr, with_cpu);
    with_cpu.Finish();
    return;
  }
  const int64_t interval_ns = IntervalOf(kind);
  RowsAndGaps rows(interval_ns, sink);
  for (const LoggedSample& sample : samples) {
    const std::string& state = profile.states[sample.state];
    SampleRow row{.time_ns = sample.time_ns, .stack = sample.stack, .idle = IdleSubcategory(state)};
    const bool runs = cpu == nullptr && IsRunning(state);
    rows.IdleUntil(sample.time_ns - TimesInterval(sample.samples, interval_ns));
    const auto add = [&](uint64_t count, int64_t time_ns) {
      row.samples = count;
      row.time_ns = time_ns;
      row.cpu_ns = runs ? static_cast<uint64_t>(TimesInterval(count, interval_ns)) : 0;
      rows.Add(row);
    };
    // A sample of several intervals becomes two rows, one for its first interval and one for the
    // other intervals.
    if (sample.samples > 1) {
      add(1, sample.time_ns - TimesInterval(sample.samples - 1, interval_ns));
      add(sample.samples - 1, sample.time_ns);
    } else {
      add(sample.samples, sample.time_ns);
    }
  }
  rows.EndActivity();
}

void AddEventRows(std::span<const LoggedSample> samples, RowSink& rows) {
  for (const LoggedSample& sample : samples) {
    rows.Add({.time_ns = sample.time_ns, .samples = sample.value, .stack = sample.stack});
  }
}

void SampleColumns::Clear(int64_t start_ns, Weight weight) {
  start_ns_ = start_ns;
  weight_ = weight;
  for (JsonColumn* column : {&stacks_, &deltas_, &weights_, &cpu_deltas_}) column->Clear();
  is_even_ = weight == Weight::kSamples;
  length_ = 0;
  first_ns_ = last_ns_ = 0;
}

void SampleColumns::Add(const SampleRow& row) {
  const bool has_stack = row.samples != 0 && row.stack != CallTree::kRoot;
  if (is_even_ && row.samples > 1 && has_stack) EndEvenWeights();
  if (!has_stack) {
    stacks_.Null();
  } else {
    stacks_.Number(code_.StackRow(row.stack, row.idle));
  }
  const int64_t now_ns = RelativeTime(row.time_ns, start_ns_);
  deltas_.Millis(now_ns - last_ns_);
  last_ns_ = now_ns;
  if (length_++ == 0) first_ns_ = now_ns;
  if (weight_ == Weight::kMillis) {
    weights_.Millis(static_cast<int64_t>(row.samples));
  } else if (!is_even_) {
    weights_.Number(has_stack ? row.samples : 0);
  }
  cpu_deltas_.Number(row.cpu_ns);
}

// Adds the weights of all earlier rows to `weights_`: 0 for a row without a stack, otherwise 1.
// Called at the first row with another weight; in most threads there is no such row.
void SampleColumns::EndEvenWeights() {
  is_even_ = false;
  const std::string_view stacks = stacks_.text();
  for (size_t at = 0; at < stacks.size(); at = stacks.find(',', at) + 1) {
    weights_.Number(stacks[at] == 'n' ? 0 : 1);
  }
}

void SampleColumns::Write(JsonWriter& json) const {
  json.BeginObject();
  stacks_.Write("stack", json);
  deltas_.Write("timeDeltas", json);
  if (is_even_) {
    json.Null("weight");
  } else {
    weights_.Write("weight", json);
  }
  json.Text("weightType", weight_ == Weight::kMillis ? "tracing-ms" : "samples");
  cpu_deltas_.Write("threadCPUDelta", json);
  json.Number("length", length_);
  json.EndObject();
}

}  // namespace jprof::firefox
