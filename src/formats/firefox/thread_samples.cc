#include "formats/firefox/thread_samples.h"

#include <algorithm>
#include <limits>

#include "formats/credible_time.h"
#include "formats/firefox/categories.h"

namespace jprof::firefox {
namespace {

using profile::SampleKind;
using profile::SampleUnit;

constexpr int64_t kGuessedInterval = 10'000'000;
// Longer times are not credible.
constexpr int64_t kLongest = int64_t{1} << 53;

int64_t TimesInterval(uint64_t samples, int64_t interval_ns) {
  const auto most = static_cast<uint64_t>(kLongest / interval_ns);
  return static_cast<int64_t>(std::min(samples, most)) * interval_ns;
}

class Rows {
 public:
  explicit Rows(int64_t interval_ns) : interval_ns_(interval_ns) {}

  // The thread was idle until `begin_ns`, if it was so for more than an interval.
  void IdleUntil(int64_t begin_ns) {
    if (rows_.empty()) {
      Add({.time_ns = begin_ns});
    } else if (begin_ns - rows_.back().time_ns > interval_ns_) {
      EndActivity();
      if (begin_ns > rows_.back().time_ns) Add({.time_ns = begin_ns});
    }
  }

  void EndActivity() {
    if (!rows_.empty()) Add({.time_ns = rows_.back().time_ns + interval_ns_});
  }

  void Add(SampleRow row) {
    if (!rows_.empty()) row.time_ns = std::max(row.time_ns, rows_.back().time_ns);
    rows_.push_back(row);
  }

  std::vector<SampleRow> Take() { return std::move(rows_); }

 private:
  const int64_t interval_ns_;
  std::vector<SampleRow> rows_;
};

// CPU time that was used up to a moment. REQUIRES: moments ascend.
class CpuClock {
 public:
  explicit CpuClock(const std::vector<SampleRow>& rows) : rows_(rows) {}

  uint64_t Until(int64_t time_ns) {
    while (next_ < rows_.size() && rows_[next_].time_ns <= time_ns)
      used_ns_ += rows_[next_++].cpu_ns;
    return used_ns_;
  }

 private:
  const std::vector<SampleRow>& rows_;
  size_t next_ = 0;
  uint64_t used_ns_ = 0;
};

bool Runs(std::string_view state) {
  return state == "STATE_RUNNABLE" || state == "STATE_DEFAULT" || state.empty();
}

}  // namespace

int64_t IntervalOf(const SampleKind& kind) {
  return kind.interval_ns > 0 ? std::min(kind.interval_ns, kLongest) : kGuessedInterval;
}

std::vector<SampleRow> CpuRows(const SampleKind& kind, std::span<const LoggedSample> samples) {
  const int64_t interval_ns = IntervalOf(kind);
  Rows rows(interval_ns);
  for (const LoggedSample& sample : samples) {
    const int64_t busy_ns = kind.unit == SampleUnit::kNanos
                                ? static_cast<int64_t>(std::min<uint64_t>(sample.value, kLongest))
                                : TimesInterval(sample.samples, interval_ns);
    rows.IdleUntil(sample.time_ns - busy_ns);
    rows.Add({.time_ns = sample.time_ns,
              .cpu_ns = static_cast<uint64_t>(busy_ns),
              .samples = sample.samples,
              .stack = sample.stack});
  }
  rows.EndActivity();
  return rows.Take();
}

std::vector<SampleRow> ElapsedRows(const profile::Profile& profile, const SampleKind& kind,
                                   std::span<const LoggedSample> samples,
                                   const std::vector<SampleRow>* cpu) {
  const int64_t interval_ns = IntervalOf(kind);
  Rows rows(interval_ns);
  for (const LoggedSample& sample : samples) {
    const std::string& state = profile.states[sample.state];
    SampleRow row{.time_ns = sample.time_ns, .stack = sample.stack, .idle = IdleSubcategory(state)};
    const bool runs = cpu == nullptr && Runs(state);
    rows.IdleUntil(sample.time_ns - TimesInterval(sample.samples, interval_ns));
    const auto add = [&](uint64_t count, int64_t time_ns) {
      row.samples = count;
      row.time_ns = time_ns;
      row.cpu_ns = runs ? static_cast<uint64_t>(TimesInterval(count, interval_ns)) : 0;
      rows.Add(row);
    };
    // A sample of many intervals: a row at its begin and one at its end.
    if (sample.samples > 1) {
      add(1, sample.time_ns - TimesInterval(sample.samples - 1, interval_ns));
      add(sample.samples - 1, sample.time_ns);
    } else {
      add(sample.samples, sample.time_ns);
    }
  }
  rows.EndActivity();
  std::vector<SampleRow> done = rows.Take();
  if (cpu != nullptr) {
    CpuClock clock(*cpu);
    uint64_t last_ns = 0;
    for (SampleRow& row : done) {
      const uint64_t now_ns = clock.Until(row.time_ns);
      row.cpu_ns = now_ns - last_ns;
      last_ns = now_ns;
    }
  }
  return done;
}

std::vector<SampleRow> EventRows(std::span<const LoggedSample> samples) {
  std::vector<SampleRow> rows;
  for (const LoggedSample& sample : samples) {
    rows.push_back({.time_ns = sample.time_ns, .samples = sample.value, .stack = sample.stack});
  }
  return rows;
}

}  // namespace jprof::firefox
