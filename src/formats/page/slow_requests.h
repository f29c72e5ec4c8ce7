// SlowRequests: the slowest requests that the program worked for, each with the cells of a flame
// graph of its own, and the first ten of them as one. They are shown with the slow calls. One
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "formats/page/page_cells.h"
#include "formats/page/page_model.h"
#include "profile/analysis/packed_samples.h"
#include "profile/analysis/slow_calls.h"
#include "profile/analysis/span_log.h"

namespace jprof {

// SlowCallGraphs: the slowest calls of traced methods, each with the cells of a flame graph of its
// own.
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
  std::string Note() const;  // what is left out

  const profile::Weigh weigh_;
  profile::SlowCalls calls_;
};

// PartCells: the cells of a flame graph of chosen samples: of a call, or of a request. Thread-safe:
// no state.

// By the kinds of the page, in its order, as PageCells::Of has them. All are in the slice of
// `begin_ns`, since 1970: a part is shown as a whole.
std::vector<std::string> PartCells(const PageModel& page,
                                   const std::vector<profile::Sample>& samples, int64_t begin_ns,
                                   profile::Weigh weigh);

class SlowRequests : public PageSection {
 public:
  static constexpr size_t kMaxRequests = 100;
  static constexpr size_t kTogether = 10;
  // Samples beyond are not kept, and the page says so. Some 20 MB.
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
  profile::PackedSamples samples_;  // with labels
  uint64_t samples_left_out_ = 0;
};

}  // namespace jprof
