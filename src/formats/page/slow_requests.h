// SlowRequests: the slowest requests that the program worked for, each with the cells of a flame
// graph of its own, and the first ten of them as one. They are shown with the slow calls. One
// thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "formats/page/page_section.h"
#include "profile/analysis/packed_samples.h"
#include "profile/analysis/span_log.h"

namespace jprof {

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
