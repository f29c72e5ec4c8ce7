// ChunkParticipant: a part of the profiler that has something to say in the chunks of a recording.
// ChunkParticipants: those that are registered, in the order in which they write.
//
// The recorder's thread calls a participant, in this order for each chunk:
//
//   AddSettings, WriteOpening                   the chunk begins
//   BeforeSamples ─ (samples) ─ AfterSamples    each drain of it, ten a second
//   BeforeLastDrain                             ... before the last of them
//   WriteClosing                                all samples are in; the chunk is sealed
//
// While no chunk can be written (a full disk) Forget takes the place of BeforeSamples and
// AfterSamples, and BeforeLastDrain goes on: what a participant collects must be taken in Forget,
// for nothing may grow then.
#pragma once

#include <jni.h>

#include <cstdint>
#include <mutex>
#include <vector>

#include "recording/jfr/event_settings.h"
#include "recording/jfr/jfr_writer.h"
#include "sigsafe/base/types.h"
#include "traces/preserved_traces.h"

namespace jprof {

class StackConstants;
class ThreadConstants;

// Of one drain: where events go, the keys of threads and stacks in this chunk, the drain's time.
struct OpenChunk {
  JfrWriter& writer;
  ThreadConstants& threads;
  StackConstants& stacks;
  Nanos now_ns;
};

class ChunkParticipant {
 public:
  virtual ~ChunkParticipant() = default;

  // What was asked for and how it is carried out, in the words of the event types.
  virtual void AddSettings(EventSettings&) const {}
  virtual void WriteOpening(JfrWriter&, Nanos /*now_ns*/) {}
  virtual void BeforeSamples(OpenChunk&) {}
  virtual void AfterSamples(OpenChunk&) {}
  // Samples that are pushed here are of this chunk.
  virtual void BeforeLastDrain(JNIEnv*) {}
  virtual void WriteClosing(JfrWriter&, Nanos /*now_ns*/) {}

  // How many events are forgotten.
  virtual uint64_t Forget() { return 0; }

  // Another file follows: what is said once in each file is to be said again.
  virtual void BeginFile() {}

  // Names the stacks that events to come may have, whatever their epoch.
  virtual void KeepLive(LiveTraces&) const {}
};

// Thread-safe. A participant may come and go while the recording runs.
class ChunkParticipants {
 public:
  // REQUIRES: not registered yet; it stays until Remove.
  void Add(ChunkParticipant* participant);

  // It says nothing about chunks to come: AddSettings and WriteOpening are called no more. For one
  // that is about to go, with a chunk of its own to end before.
  void Retire(ChunkParticipant* participant);

  // On return it is not called any more. REQUIRES: no lock is held that a participant takes.
  void Remove(ChunkParticipant* participant);

  // Of those that have not retired.
  template <typename Visit>
  void ForEachAtOpening(Visit&& visit) {
    const std::lock_guard lock(mutex_);
    for (const Entry& entry : participants_) {
      if (!entry.is_retired) visit(*entry.participant);
    }
  }

  // Calls visit(participant) for each. REQUIRES: `visit` neither adds nor removes one.
  template <typename Visit>
  void ForEach(Visit&& visit) {
    const std::lock_guard lock(mutex_);
    for (const Entry& entry : participants_) visit(*entry.participant);
  }

 private:
  struct Entry {
    ChunkParticipant* participant;
    bool is_retired = false;
  };

  std::mutex mutex_;
  std::vector<Entry> participants_;  // guarded by mutex_
};

}  // namespace jprof
