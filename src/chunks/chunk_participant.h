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
// While no chunk can be written (a full disk) Forget takes the place of BeforeSamples and
// AfterSamples, and BeforeLastDrain is still called: a participant drops in Forget the data that it
// has collected, because memory must not grow meanwhile.
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
// trace contexts of its samples, the drain's time.
struct OpenChunk {
  JfrWriter& writer;
  ThreadConstants& threads;
  StackConstants& stacks;
  ContextFields& contexts;
  Nanos now_ns;
  bool is_last = false;  // the drain is the last one of the chunk
  // Set before the samples: losses are taken with them, and not only once a second.
  bool takes_losses = false;
  JNIEnv* jni = nullptr;  // the recorder's; nullptr: the VM is out of reach (jvm/exit_watch.h)
};

class ChunkParticipant {
 public:
  virtual ~ChunkParticipant() = default;

  // Adds the request and its realisation, as settings of event types.
  virtual void AddSettings(EventSettings&) const {}
  virtual void WriteOpening(JfrWriter&, Nanos /*now_ns*/) {}
  virtual void BeforeSamples(OpenChunk&) {}
  // The kind of which this part may hold samples back, the only part to do so; nullopt: none.
  virtual std::optional<SampleKind> HeldKind() const { return std::nullopt; }
  // Whether this part holds the sample back, to write its events itself: with the keys of the open
  // chunk, until WriteClosing at the latest. Else they are written now (SampleEvents). REQUIRES: a
  // sample of HeldKind.
  virtual bool HoldBack(const ResolvedSample&) { return false; }
  virtual void AfterSamples(OpenChunk&) {}
  // Samples that are pushed here are of this chunk. nullptr: the VM is out of reach
  // (jvm/exit_watch.h), here and until the seal.
  virtual void BeforeLastDrain(JNIEnv*) {}
  virtual void WriteClosing(JfrWriter&, Nanos /*now_ns*/) {}

  // Drops collected data, and returns the number of events dropped.
  virtual uint64_t Forget() { return 0; }

  // The next chunk begins another file: events that are written once per file are due again.
  virtual void BeginFile() {}

  // Keeps the stacks that later events may have, of any epoch.
  virtual void KeepLive(LiveCallTraces&) const {}
};

// Thread-safe. Participants may be added and removed while the recording runs.
class ChunkParticipants {
 public:
  // REQUIRES: not registered, no other one has its HeldKind; the participant lives until Remove.
  void Add(ChunkParticipant* participant);

  // Ends the calls of AddSettings and WriteOpening, for a participant that is removed after the end
  // of the open chunk.
  void Retire(ChunkParticipant* participant);

  // After the return the participant is not called. REQUIRES: the caller holds no lock that a
  // participant takes.
  void Remove(ChunkParticipant* participant);

  // Whether the participant for the sample's kind holds the sample back.
  bool HoldBack(const ResolvedSample& resolved);

  // The settings of participants that have not retired.
  template <typename Visit>
  void ForEachAtOpening(Visit&& visit) {
    const std::lock_guard lock(mutex_);
    for (const JoinedParticipant& entry : participants_) {
      if (!entry.is_retired) visit(*entry.participant);
    }
  }

  // Calls visit(participant) for each. REQUIRES: `visit` neither adds nor removes participants.
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
  std::array<ChunkParticipant*, kSampleKindCount> holders_ = {};  // likewise, by HeldKind
};

}  // namespace jprof
