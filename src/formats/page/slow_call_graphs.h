// SlowCallGraphs: the slowest calls of traced methods, each with the cells of a flame graph of its
// own. One thread.
#pragma once

#include <cstddef>
#include <string>

#include "formats/page/page_section.h"
#include "profile/analysis/slow_calls.h"

namespace jprof {

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

}  // namespace jprof
