// SampleSink: a consumer of resolved samples. The first sink writes the recording (JfrSampleSink);
// further sinks are in RecorderContext::sinks.
//
// Called on the recorder's thread. While no chunk can be written, samples are not resolved and
// reach no sink.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chunks/class_constants.h"
#include "chunks/stack_constants.h"
#include "chunks/thread_constants.h"
#include "sigsafe/base/sample_kinds.h"
#include "sigsafe/sampling/sample.h"

namespace jprof {

// A sample, or a loss: due weight that could not be recorded.
struct ResolvedSample {
  const Sample& sample;            // without stack and payload if it is a loss
  std::optional<LostReason> lost;  // nullopt: a sample
  uint32_t thread_key;             // the key in the constant pools of the chunk
  uint32_t stack_key;              // the key of a stack; for a loss the stack names the reason

  // Tables for names, which are looked up on request; valid during OnSample.
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
