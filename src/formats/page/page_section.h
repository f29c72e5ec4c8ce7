// PageSection: the data of a part of the page beside the graph, which are further members of the
// page's JSON object. One thread.
#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "formats/json_writer.h"
#include "formats/page/page_model.h"
#include "profile/profile.h"
#include "profile/sample_table.h"

namespace jprof {

class PageSection {
 public:
  virtual ~PageSection() = default;
  // As those of SampleSink.
  virtual void OnChunk(const profile::JfrSchema& /*declared*/) {}
  virtual void OnSample(const profile::Sample& /*sample*/) {}
  virtual bool WantsEvents(const profile::RecordedType& /*type*/) { return false; }
  virtual bool TakesEvent(const profile::RecordedType& /*type*/) { return false; }
  virtual void OnEvent(const profile::ProfileEvent& /*event*/) {}
  // The error is one line with a remedy. REQUIRES: called once, after the last event.
  virtual Status Write(const PageModel& page, JsonWriter& json) = 0;
};

using PageSections = std::vector<std::unique_ptr<PageSection>>;

}  // namespace jprof
