// SampleEvents: how the samples of a kind become events of the recording. A constant a kind,
// k<Id>SampleEvents, in a file of that kind; found by the table.
//
// The recorder's thread.
#pragma once

#include <cstdint>

#include "recording/jfr/jfr_writer.h"
#include "recording/sample_sink.h"
#include "sigsafe/base/sample_kinds.h"
#include "sigsafe/base/sample_settings.h"

namespace jprof {

struct SampleEvents {
  void (*write)(const ResolvedSample& resolved, const SampleSettings& settings, JfrWriter& writer);
  // How many of its events a weight is.
  uint64_t (*count)(uint64_t weight, const SampleSettings& settings);
};

#define SAMPLE_KIND(Id, name, unit, payload_bytes) extern const SampleEvents k##Id##SampleEvents;
#include "sigsafe/base/sample_kinds.def"

// REQUIRES: a kind of the table.
const SampleEvents& EventsOf(SampleKind kind);

// Writes samples into the open chunk of `writer`.
class JfrSampleSink final : public SampleSink {
 public:
  JfrSampleSink(const SampleSettings& settings, JfrWriter& writer)
      : settings_(settings), writer_(writer) {}

  void OnSample(const ResolvedSample& resolved) override {
    EventsOf(resolved.sample.kind).write(resolved, settings_, writer_);
  }

 private:
  const SampleSettings& settings_;
  JfrWriter& writer_;
};

}  // namespace jprof
