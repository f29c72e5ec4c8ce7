// SampleEvents: writes the samples of a kind as events of the recording.
//
// ResolvedSample         a sample or a loss, with its keys in the open chunk
// SampleSink             a consumer of resolved samples
// SampleEventsTable      the SampleEvents of every kind
// JfrSampleSink          the sink that writes samples into the open chunk, with the table
// WriteExecutionSamples  the common writer for kinds with samples of running threads
//
// The SampleEvents of a kind is a constant in the folder of the kind's engine. engines.def has a
// row for each kind, from which the recorder's table is made. Everything here is used on the
// recorder's thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chunks/chunk_participant.h"
#include "chunks/class_constants.h"
#include "chunks/context_fields.h"
#include "chunks/stack_constants.h"
#include "chunks/thread_constants.h"
#include "jfr/writer/jfr_writer.h"
#include "sigsafe/base/sample_kinds.h"
#include "sigsafe/base/sample_settings.h"
#include "sigsafe/sampling/sample.h"

namespace jprof {

// A sample, or a loss. A loss is weight that was due but could not be recorded.
struct ResolvedSample {
  const Sample& sample;            // a loss has neither stack nor payload
  std::optional<LostReason> lost;  // nullopt for a sample
  uint32_t thread_key;             // the key in the constant pools of the chunk
  uint32_t stack_key;              // the key of the stack; the stack of a loss names its reason

  // Tables that look up names on request; valid during OnSample.
  ThreadConstants& threads;
  StackConstants& stacks;
  ClassConstants& classes;

  std::string ThreadName() const { return threads.NameOf(sample.thread); }
  std::vector<NamedFrame> Frames() const { return stacks.FramesOf(stack_key); }
};

// A consumer of resolved samples. The first sink writes the recording (JfrSampleSink);
// RecorderContext::sinks has further sinks. While no chunk can be written, samples are not resolved
// and reach no sink.
class SampleSink {
 public:
  virtual ~SampleSink() = default;
  virtual void OnSample(const ResolvedSample& resolved) = 0;
};

// Appends jdk.ExecutionSample `count` times. Used for kinds with samples of running threads.
inline void WriteExecutionSamples(const ResolvedSample& resolved, uint64_t count,
                                  JfrWriter& writer) {
  ExecutionSample event;
  event.time_ns = resolved.sample.time_ns;
  event.thread_key = resolved.thread_key;
  event.stack_key = resolved.stack_key;
  for (uint64_t i = 0; i < count; ++i) writer.Append(event);
}

// The functions that write and count the events of a kind. `settings` are the settings of the open
// chunk or, while no chunk can be written, of the previous chunk.
struct SampleEvents {
  // Appends the events of a sample. nullptr if the engine writes the events of all its samples
  // itself (ChunkParticipant::HoldBack). A VM callback that is still running when such an engine
  // leaves the recording can take one more sample; no event is written for that sample.
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
