// SampleEvents: how the samples of a kind become events of the recording.
//
// SampleEventsTable      the SampleEvents of every kind
// JfrSampleSink          the sink that writes samples into the open chunk, by the table
// WriteExecutionSamples  the common writer for kinds with samples of running threads
//
// The SampleEvents of a kind is a constant in the folder of the kind's engine. engines.def has the
// row for each kind, and the recorder is given the table. All of it is used on the recorder's
// thread.
#pragma once

#include <array>
#include <cstdint>

#include "chunks/chunk_participant.h"
#include "chunks/context_fields.h"
#include "chunks/sample_sink.h"
#include "jfr/writer/jfr_writer.h"
#include "sigsafe/base/sample_kinds.h"
#include "sigsafe/base/sample_settings.h"

namespace jprof {

// Appends `count` times jdk.ExecutionSample, for kinds with samples of running threads.
void WriteExecutionSamples(const ResolvedSample& resolved, uint64_t count, JfrWriter& writer);

// `settings` are those of the open chunk, or of the previous chunk while none can be written.
struct SampleEvents {
  // nullptr: the engine holds all samples back and writes their events. A sample that a VM callback
  // began before the engine left, and took afterwards, is then in no event.
  void (*write)(const ResolvedSample& resolved, const SampleSettings& settings, JfrWriter& writer);
  // Returns the number of events for a weight.
  uint64_t (*count)(uint64_t weight, const SampleSettings& settings);
};

class SampleEventsTable {
 public:
  using Rows = std::array<const SampleEvents*, kSampleKindCount>;  // indexed by kind

  constexpr explicit SampleEventsTable(const Rows& rows) : rows_(rows) {}

  const SampleEvents& operator[](SampleKind kind) const {
    return *rows_[static_cast<size_t>(kind)];
  }

 private:
  const Rows rows_;
};

// Writes samples into the open chunk of `writer`, except those that a participant holds back.
class JfrSampleSink final : public SampleSink {
 public:
  JfrSampleSink(const SampleEventsTable& events, ChunkParticipants& participants,
                const SampleSettings& settings, ContextFields& contexts, JfrWriter& writer)
      : events_(events),
        participants_(participants),
        settings_(settings),
        contexts_(contexts),
        writer_(writer) {}

  void OnSample(const ResolvedSample& resolved) override {
    const auto write = events_[resolved.sample.kind].write;
    if (participants_.HoldBack(resolved) || write == nullptr) return;
    writer_.SetTrailing(contexts_.ValuesOf(resolved.sample.trace, resolved.sample.context));
    write(resolved, settings_, writer_);
    writer_.SetTrailing({});
  }

 private:
  const SampleEventsTable& events_;
  ChunkParticipants& participants_;
  const SampleSettings& settings_;
  ContextFields& contexts_;
  JfrWriter& writer_;
};

}  // namespace jprof
