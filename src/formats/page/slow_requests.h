// SlowCallGraphs writes the slowest calls to traced methods, and SlowRequests writes the slowest
// requests of the program. Each call or request has the cells of a flame graph of its own. The page
// shows calls and requests in one panel. Used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "formats/page/page_model.h"
#include "profile/analysis/packed_samples.h"
#include "profile/analysis/slow_calls.h"
#include "profile/analysis/span_log.h"

namespace jprof {

// SlowCallGraphs writes the slowest calls to traced methods.
class SlowCallGraphs : public PageSection {
 public:
  static constexpr size_t kMaxCalls = 100;

  explicit SlowCallGraphs(profile::Weigh weigh) : weigh_(weigh), calls_(kMaxCalls) {}

  void OnChunk(const profile::JfrSchema& declared) override { calls_.OnChunk(declared); }
  void OnSample(const profile::Sample& sample) override { calls_.OnSample(sample); }
  bool WantsEvents(const profile::RecordedType& type) override {
    return profile::SlowCalls::IsOfCall(type);
  }
  bool TakesEvent(const profile::RecordedType& type) override {
    return profile::SlowCalls::IsOfCall(type);
  }
  void OnEvent(const profile::ProfileEvent& event) override;
  Status Write(const PageModel& page, JsonWriter& json) override;

 private:
  // Returns a text about nested calls, and about samples that are left out.
  std::string Note() const;

  const profile::Weigh weigh_;
  profile::SlowCalls calls_;
};

// Encodes `samples`, the samples of a call or a request, for its flame graph. Returns the result of
// PageCells::Of for each kind of the page, in the order of PageModel::kinds. All cells are in the
// slice of time that contains `begin_ns` (since 1970), because the page shows a call or a request
// only as a whole.
std::vector<std::string> PartCells(const PageModel& page,
                                   const std::vector<profile::Sample>& samples, int64_t begin_ns,
                                   profile::Weigh weigh);

// SlowRequests writes the slowest requests of the program. It also writes one flame graph of all
// samples of the kTogether slowest requests.
class SlowRequests : public PageSection {
 public:
  static constexpr size_t kMaxRequests = 100;
  static constexpr size_t kTogether = 10;
  // Caps the samples that are kept (some 20 MB). If there are more samples, the page says so.
  static constexpr size_t kMaxSamples = 2'000'000;

  explicit SlowRequests(profile::Weigh weigh) : weigh_(weigh), spans_(weigh) {}

  void OnSample(const profile::Sample& sample) override;
  bool WantsEvents(const profile::RecordedType& type) override {
    return profile::SpanLog::IsSpan(type);
  }
  bool TakesEvent(const profile::RecordedType& type) override {
    return profile::SpanLog::IsSpan(type);
  }
  void OnEvent(const profile::ProfileEvent& event) override;
  Status Write(const PageModel& page, JsonWriter& json) override;

 private:
  const profile::Weigh weigh_;
  profile::SpanLog spans_;
  profile::PackedSamples samples_;  // the samples with labels
  uint64_t samples_left_out_ = 0;
};

}  // namespace jprof
