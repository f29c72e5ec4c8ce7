// ChunkParticipant: a part of the profiler that writes events into the chunks of a recording.
// ChunkParticipants: the registered participants, in the order in which they write.
//
// The recorder's thread calls a participant, in this order for each chunk:
//
//   AddSettings, WriteOpening                   the chunk begins
//   BeforeSamples ─ (samples) ─ AfterSamples    each drain of it, ten a second
//   BeforeLastDrain                             ... before the last of them
//   WriteClosing                                after all samples; then the chunk is sealed
//
// While no chunk can be written (a full disk), Forget takes the place of BeforeSamples and
// AfterSamples, and BeforeLastDrain is still called. A participant drops the data that it has
// collected in Forget, because memory must not grow meanwhile.
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

// The state of one drain: the writer of events, the keys of threads and stacks in this chunk, the
// trace contexts of samples, and the drain's time.
struct OpenChunk {
  JfrWriter& writer;
  ThreadConstants& threads;
  StackConstants& stacks;
  ContextFields& contexts;
  Nanos now_ns;
  bool is_last = false;  // the drain is the last one of the chunk
  // True if this drain takes losses, which drains otherwise do once a second. Set in BeforeSamples.
  bool takes_losses = false;
  JNIEnv* jni = nullptr;  // nullptr: the VM is out of reach (jvm/exit_watch.h)
};

class ChunkParticipant {
 public:
  virtual ~ChunkParticipant() = default;

  // Adds what was requested, and how it is realised, as settings of event types.
  virtual void AddSettings(EventSettings&) const {}
  virtual void WriteOpening(JfrWriter&, Nanos /*now_ns*/) {}
  virtual void BeforeSamples(OpenChunk&) {}
  // Returns the kind whose samples this participant can hold back; nullopt: none. No two
  // participants have the same kind.
  virtual std::optional<SampleKind> HeldKind() const { return std::nullopt; }
  // True if the participant holds the sample back: it then writes the sample's events itself, with
  // the keys of the open chunk, in WriteClosing at the latest. False: the events are written at
  // once (SampleEvents). REQUIRES: a sample of HeldKind.
  virtual bool HoldBack(const ResolvedSample&) { return false; }
  virtual void AfterSamples(OpenChunk&) {}
  // Called before the last drain: samples that are pushed here belong to this chunk. The argument
  // is nullptr if the VM is out of reach (jvm/exit_watch.h), from here until the chunk is sealed.
  virtual void BeforeLastDrain(JNIEnv*) {}
  virtual void WriteClosing(JfrWriter&, Nanos /*now_ns*/) {}

  // Drops collected data, and returns the number of events dropped.
  virtual uint64_t Forget() { return 0; }

  // Called when the next chunk begins another file: events that are written once per file are due
  // again.
  virtual void BeginFile() {}

  // Keeps the stacks, of any epoch, that later events might refer to.
  virtual void KeepLive(LiveCallTraces&) const {}
};

// Thread-safe. Participants can be added and removed while the recording runs.
class ChunkParticipants {
 public:
  // Registers `participant`. REQUIRES: it is not registered, no other participant has its HeldKind,
  // and it lives until Remove.
  void Add(ChunkParticipant* participant);

  // Ends the calls to AddSettings and WriteOpening, for a participant that is removed after the end
  // of the open chunk.
  void Retire(ChunkParticipant* participant);

  // Unregisters `participant`, which is not called after the return. REQUIRES: the caller holds no
  // lock that a participant takes.
  void Remove(ChunkParticipant* participant);

  // True if the participant for the sample's kind holds the sample back.
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
  std::vector<JoinedParticipant> participants_;                   // guarded by mutex_
  std::array<ChunkParticipant*, kSampleKindCount> holders_ = {};  // per HeldKind; guarded by mutex_
};

}  // namespace jprof
