// ChunkParticipant: a part of the profiler that writes events into the chunks of a recording.
// ChunkParticipants: the registered participants, in the order in which they write.
//
// The recorder's thread calls a participant, in this order for each chunk:
//
//   AddSettings, WriteOpening                   when the chunk begins
//   BeforeSamples ─ (samples) ─ AfterSamples    at each drain, ten times a second: a drain takes
//                                               the samples that handlers have published
//   BeforeLastDrain                             before the last drain of the chunk
//   WriteClosing                                after all samples; then the chunk is sealed
//
// While no chunk can be written, for example because the disk is full, Forget is called instead of
// BeforeSamples and AfterSamples; BeforeLastDrain is still called. In Forget, a participant drops
// the data that it has collected, so that memory does not grow.
#pragma once

#include <jni.h>

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "call_traces/preserved_call_traces.h"
#include "jfr/writer/event_settings.h"
#include "jfr/writer/jfr_writer.h"
#include "sigsafe/base/sample_kinds.h"
#include "sigsafe/base/types.h"

namespace jprof {

class ContextFields;
struct ResolvedSample;
class StackConstants;
class ThreadConstants;

// The state of one drain into an open chunk: the writer of events, the keys of threads and stacks
// in this chunk, the trace contexts of samples, and the time of the drain.
struct OpenChunk {
  JfrWriter& writer;
  ThreadConstants& threads;
  StackConstants& stacks;
  ContextFields& contexts;
  Nanos now_ns;
  bool is_last = false;  // the drain is the last one of the chunk
  // A participant sets this in BeforeSamples to make the drain take losses. Otherwise only one
  // drain a second does so.
  bool takes_losses = false;
  JNIEnv* jni = nullptr;  // nullptr while the VM is out of reach (jvm/exit_watch.h)
};

class ChunkParticipant {
 public:
  virtual ~ChunkParticipant() = default;

  // Adds the settings of event types. The settings describe what the user has requested, and how it
  // is recorded.
  virtual void AddSettings(EventSettings&) const {}
  virtual void WriteOpening(JfrWriter&, Nanos /*now_ns*/) {}
  virtual void BeforeSamples(OpenChunk&) {}
  // Returns the only kind of samples that is passed to HoldBack; nullopt if the participant never
  // holds samples back. No two participants have the same kind.
  virtual std::optional<SampleKind> HeldKind() const { return std::nullopt; }
  // Returns true if the participant will write the sample's events itself, no later than in
  // WriteClosing of the open chunk. Returns false if SampleEvents has to write the events now.
  // REQUIRES: the kind of the sample is HeldKind().
  virtual bool HoldBack(const ResolvedSample&) { return false; }
  virtual void AfterSamples(OpenChunk&) {}
  // Called before the last drain of the chunk: samples that the participant pushes here belong to
  // this chunk. The argument is nullptr if the VM is out of reach (jvm/exit_watch.h); the VM then
  // stays out of reach until the chunk is sealed.
  virtual void BeforeLastDrain(JNIEnv*) {}
  virtual void WriteClosing(JfrWriter&, Nanos /*now_ns*/) {}

  // Drops the collected data. Returns the number of events that are dropped with it.
  virtual uint64_t Forget() { return 0; }

  // Called when another file begins. The next chunk has to repeat the events that are written once
  // per file.
  virtual void BeginFile() {}

  // Keeps the stored stacks that later events might refer to. These stacks can be of any epoch
  // (call_traces/call_trace_rotation.h).
  virtual void KeepLive(LiveCallTraces&) const {}
};

// Thread-safe. Participants can be added and removed while the recording runs.
class ChunkParticipants {
 public:
  // Registers `participant`. REQUIRES: `participant` is not registered yet and lives until Remove;
  // no other participant has its HeldKind.
  void Add(ChunkParticipant* participant);

  // Makes later chunks skip the participant's AddSettings and WriteOpening. Called for a
  // participant that will be removed after the end of the open chunk.
  void Retire(ChunkParticipant* participant);

  // Unregisters `participant`. After the return, no function of `participant` is called. REQUIRES:
  // the caller holds no lock that a participant takes.
  void Remove(ChunkParticipant* participant);

  // Calls HoldBack of the participant whose HeldKind is the sample's kind, and returns the result;
  // false if there is no such participant.
  bool HoldBack(const ResolvedSample& resolved);

  // Calls visit(participant) for each participant that has not retired.
  template <typename Visit>
  void ForEachAtOpening(Visit&& visit) {
    const std::lock_guard lock(mutex_);
    for (const JoinedParticipant& entry : participants_) {
      if (!entry.is_retired) visit(*entry.participant);
    }
  }

  // Calls visit(participant) for each participant. REQUIRES: `visit` neither adds nor removes
  // participants.
  template <typename Visit>
  void ForEach(Visit&& visit) {
    const std::lock_guard lock(mutex_);
    for (const JoinedParticipant& entry : participants_) visit(*entry.participant);
  }

 private:
  struct JoinedParticipant {
    ChunkParticipant* participant;
    bool is_retired = false;
  };

  std::mutex mutex_;
  std::vector<JoinedParticipant> participants_;  // guarded by mutex_
  // Indexed by HeldKind; guarded by mutex_.
  std::array<ChunkParticipant*, kSampleKindCount> holders_ = {};
};

}  // namespace jprof
