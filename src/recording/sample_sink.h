// SampleSink: a consumer of samples, as the recorder has resolved them. The writer of the recording
// is the first one (JfrSampleSink), others stand in RecorderContext::sinks.
//
// Called on the recorder's thread. Samples that come while no chunk can be written are not resolved
// and reach no sink.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "recording/class_constants.h"
#include "recording/stack_constants.h"
#include "recording/thread_constants.h"
#include "sigsafe/base/lost_reason.h"
#include "sigsafe/sampling/sample.h"

namespace jprof {

// A sample, or a loss: a weight that was due and could not be recorded.
struct ResolvedSample {
  const Sample& sample;            // of a loss: without stack and payload
  std::optional<LostReason> lost;  // not engaged: no loss
  uint32_t thread_key;             // in the constant pools of the chunk
  uint32_t stack_key;              // of a loss: a stack that says why

  // The names are looked up when they are asked for; they hold during OnSample.
  ThreadConstants& threads;
  StackConstants& stacks;
  ClassConstants& classes;

  std::string ThreadName() const { return threads.NameOf(sample.thread); }
  std::vector<NamedFrame> Frames() const { return stacks.FramesOf(stack_key); }
};

class SampleSink {
 public:
  virtual ~SampleSink() = default;
  virtual void OnSample(const ResolvedSample& resolved) = 0;
};

}  // namespace jprof
