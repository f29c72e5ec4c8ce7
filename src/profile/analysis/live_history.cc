#include "profile/analysis/live_history.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include "jfr/format/jfr_types.h"
#include "profile/profile.h"
#include "sigsafe/base/check.h"

namespace jprof::profile {
namespace {

constexpr std::string_view kObject = JfrName(JfrType::kSurvivingObject);
constexpr std::string_view kSnapshot = JfrName(JfrType::kLiveSnapshot);

// Larger values cannot be real measurements.
constexpr int64_t kMostBytes = int64_t{1} << 53;
constexpr double kNanosPerMinute = 60e9;

constexpr uint32_t kNew = 0xFFFFFFFF;  // Run::object of an object without a number
// Results of Recognize that are not keys of objects. Keys are hashes, so a key equals one of these
// with a probability of 2^-63.
constexpr uint64_t kKnown = 0, kUnrecognized = 1;
// The maximum number of objects with the same site, size and time of allocation that get keys of
// their own. Further such objects are not recognized in other snapshots.
constexpr int kMaxAlike = 16;

double BytesOf(int64_t value) {
  return static_cast<double>(std::clamp<int64_t>(value, 0, kMostBytes));
}

size_t AgeClassOf(int64_t age) {
  size_t number = 0;
  for (; age > 1 && number + 1 < kAges; age >>= 1) ++number;
  return number;
}

}  // namespace

bool LiveGrowth::IsGrowing() const {
  return per_minute >= 1 && per_minute > kSignificance * std::sqrt(variance);
}

bool LiveHistory::IsOfObjects(const RecordedType& type) { return type.name == kObject; }
bool LiveHistory::IsOfSnapshots(const RecordedType& type) { return type.name == kSnapshot; }

bool LiveHistory::FindSnapshot(int64_t time_ns) {
  if (!snapshots_.empty() && snapshots_[current_].time_ns == time_ns) return true;
  // A known snapshot can come again after a later one, because files can be joined in any order.
  const auto known = numbers_.find(time_ns);
  if (known != numbers_.end()) {
    current_ = known->second;
    return true;
  }
  if (snapshots_.size() == kMaxSnapshots) {
    is_whole_ = false;
    return false;
  }
  current_ = static_cast<uint32_t>(snapshots_.size());
  snapshots_.push_back({time_ns, -1});
  numbers_.emplace(time_ns, current_);
  return true;
}

void LiveHistory::OnSnapshot(const ProfileEvent& event) {
  if (!FindSnapshot(event.time_ns)) return;
  snapshots_[current_].old_collections = event.event.Field("oldCollections").Long();
}

void LiveHistory::OnObject(const ProfileEvent& event, uint32_t site) {
  const JfrEvent& fields = event.event;
  const JfrValue age = fields.Field("age"), error = fields.Field("standardError"),
                 allocated = fields.Field("allocationTime");
  if (!FindSnapshot(event.time_ns)) return;
  // Without a time of allocation, the object cannot be recognized in the next snapshot, so the
  // error of its growth is unknown.
  const bool has_error = error && error.Long() >= 0 && allocated;
  Run run{.object = kNew,
          .site = site,
          .first = current_,
          .last = current_,
          .weight = BytesOf(fields.Field("weight").Long()),
          .error = has_error ? BytesOf(error.Long()) : kNotKnown,
          .age = age ? age.Long() : 1};
  const uint64_t key = has_error ? Recognize(run, allocated.Long(), fields) : kUnrecognized;
  if (key == kKnown) return;
  if (runs_.size() == kMaxRuns) {
    is_whole_ = false;
    return;
  }
  if (run.object == kNew) run.object = objects_++;
  runs_.push_back(run);
  if (key != kUnrecognized) run_of_object_.At(key) = static_cast<uint32_t>(runs_.size());
}

// Looks for the object of `run` in earlier snapshots. If the last run of the object ends at the
// previous snapshot and has the same weight and error as `run`, extends that run and returns
// kKnown; the caller then drops `run`. Otherwise returns the key of the object, and sets run.object
// if the object is known. Returns kUnrecognized if there are more than kMaxAlike objects with the
// same site, size and time.
uint64_t LiveHistory::Recognize(Run& run, int64_t allocated_ticks, const JfrEvent& fields) {
  // The key is computed from ticks. Nanoseconds would not do, because two chunks can convert the
  // same ticks to different nanoseconds.
  uint64_t key = KeyMap::Hash(static_cast<uint64_t>(allocated_ticks)) ^ run.site;
  key = KeyMap::Hash(key) ^ static_cast<uint64_t>(fields.Field("objectSize").Long());
  for (int alike = 0; alike < kMaxAlike; ++alike, key = KeyMap::Hash(key)) {
    const uint32_t number = run_of_object_.Find(key);
    if (number == 0) return key;
    Run& known = runs_[number - 1];
    if (known.last == current_) continue;
    run.object = known.object;
    const bool goes_on =
        known.last + 1 == current_ && known.weight == run.weight && known.error == run.error;
    if (!goes_on) return key;
    known.last = current_;
    known.age = run.age;
    return kKnown;
  }
  run.error = kNotKnown;
  return kUnrecognized;
}

std::vector<uint32_t> LiveHistory::Judged() const {
  std::vector<uint32_t> judged;
  int64_t old_collections = 0;
  for (const auto& [time_ns, number] : numbers_) {
    if (snapshots_[number].old_collections <= old_collections) continue;
    old_collections = snapshots_[number].old_collections;
    judged.push_back(number);
  }
  if (judged.size() <= kMaxJudged) return judged;
  std::vector<uint32_t> some;
  for (size_t i = 0; i < kMaxJudged; ++i) {
    some.push_back(judged[i * (judged.size() - 1) / (kMaxJudged - 1)]);
  }
  return some;
}

std::vector<int64_t> LiveHistory::JudgedTimes() const {
  std::vector<int64_t> times;
  for (const uint32_t number : Judged()) times.push_back(snapshots_[number].time_ns);
  return times;
}

namespace {

// A straight line that is fitted to values at given times (least squares). Its slope is a sum over
// all values: each value multiplied by a coefficient that depends only on the times.
class Line {
 public:
  explicit Line(std::vector<double> times) : from_mean_(std::move(times)) {
    const double mean = MeanOf(from_mean_);
    for (double& time : from_mean_) time -= mean;
    for (const double time : from_mean_) squares_ += time * time;
  }

  double Coefficient(size_t i) const { return squares_ == 0 ? 0 : from_mean_[i] / squares_; }

  // Returns the variance of the slope that is due to the scatter of the values about the line.
  double Scatter(const double* values, double slope) const {
    if (squares_ == 0) return kNotKnown;
    const double mean = MeanOf({values, values + from_mean_.size()});
    double rest = 0;
    for (size_t i = 0; i < from_mean_.size(); ++i) {
      const double distance = values[i] - mean - slope * from_mean_[i];
      rest += distance * distance;
    }
    return rest / (static_cast<double>(from_mean_.size() - 2) * squares_);
  }

 private:
  static double MeanOf(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  }

  std::vector<double> from_mean_;
  double squares_ = 0;
};

}  // namespace

std::vector<LiveGrowth> LiveHistory::ComputeGrowth(const std::vector<uint32_t>& group_of_site,
                                                   size_t groups) const {
  std::vector<uint32_t> judged = Judged();
  JPROF_CHECK(judged.size() >= kFewestJudged);
  const uint32_t last = numbers_.rbegin()->second;
  // The judged snapshots are sorted by arrival, so that those of a run are a range of `judged`.
  std::ranges::sort(judged);
  std::vector<double> minutes;
  for (const uint32_t number : judged) {
    minutes.push_back(static_cast<double>(snapshots_[number].time_ns) / kNanosPerMinute);
  }
  const Line line(minutes);
  std::vector<double> sums = {0};  // sums[i]: the sum of the first i coefficients
  for (size_t i = 0; i < judged.size(); ++i) sums.push_back(sums.back() + line.Coefficient(i));

  std::vector<LiveGrowth> growths(groups);
  std::vector<double> values(groups * judged.size() + 1);  // bytes, by group and judged snapshot
  std::vector<double> errors(objects_);                    // error of the slope, by object
  for (const Run& run : runs_) {
    const size_t group = group_of_site[run.site];
    LiveGrowth& growth = growths[group];
    const auto place = [&judged](uint32_t number) {
      return static_cast<size_t>(std::ranges::lower_bound(judged, number) - judged.begin());
    };
    const size_t from = place(run.first), to = place(run.last + 1);
    const bool is_always = from == 0 && to == judged.size();
    const double slope = is_always ? 0 : sums[to] - sums[from];
    growth.per_minute += run.weight * slope;
    if (from != to) errors[run.object] += run.error * slope;
    for (size_t i = from; i < to; ++i) values[group * judged.size() + i] += run.weight;
    if (run.first > last || last > run.last) continue;
    growth.live += run.weight;
    growth.live_variance += run.error * run.error;
    growth.by_age[AgeClassOf(run.age)] += run.weight;
  }
  for (const Run& run : runs_) {
    double& error = errors[run.object];
    growths[group_of_site[run.site]].variance += error * error;
    error = 0;
  }
  for (size_t group = 0; group < groups; ++group) {
    LiveGrowth& growth = growths[group];
    growth.variance += line.Scatter(&values[group * judged.size()], growth.per_minute);
  }
  return growths;
}

}  // namespace jprof::profile
