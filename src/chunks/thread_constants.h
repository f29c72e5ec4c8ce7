// ThreadConstants: the key of each thread in the recording.
// VirtualNames: the names of recently sampled virtual threads.
//
// A platform thread is identified by its serial, not by its tid. A virtual thread is identified by
// its id, on any carrier. A thread is looked up again in each drain, because threads set their
// names late and can be renamed. A thread has a key for each of its names. An event has the key for
// the name that the thread had at the time of the event.
//
// Both classes are used on the recorder's thread.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "base/recently_used.h"
#include "jfr/writer/constant_pools.h"
#include "sigsafe/sampling/sample.h"
#include "sigsafe/sampling/virtual_thread_names.h"
#include "threads/thread_names.h"

namespace jprof {

// The names of virtual threads, by id. Bounded: a name is dropped if its thread has no sample in
// this chunk or the previous one.
class VirtualNames {
 public:
  explicit VirtualNames(VirtualThreadNames& published) : published_(published) {}

  void BeginChunk() { names_.BeginGeneration(); }

  // Takes over the published names.
  void BeginDrain();

  // Returns the name in UTF-8; empty if the thread has no name, or its name could not be read.
  std::string NameOf(int64_t id);

 private:
  VirtualThreadNames& published_;
  RecentlyUsed<int64_t, std::string> names_;  // a generation lasts for a chunk
};

class ThreadConstants {
 public:
  ThreadConstants(ThreadNames& names, VirtualNames& virtual_names, ConstantPools& pools)
      : names_(names), virtual_names_(virtual_names), pools_(pools) {}

  void BeginDrain();
  uint32_t KeyOf(uint32_t serial, Tid tid);
  uint32_t KeyOfVirtual(int64_t id);
  // The following two functions return the key of a thread that might have ended long ago.
  uint32_t KeyOf(const ThreadInfo& info);
  uint32_t KeyOfVirtual(int64_t id, const std::string& name);
  uint32_t KeyOf(const SampledThread& thread) {
    return thread.is_virtual() ? KeyOfVirtual(thread.virtual_id())
                               : KeyOf(thread.serial(), thread.tid());
  }
  // Returns the key for the name that the thread had at `time_ns`.
  uint32_t KeyAt(const SampledThread& thread, Nanos time_ns);

  // Returns the key of a thread that an event mentions, such as the owner of a lock. The thread
  // might have ended before the event. If the registry has forgotten the thread, returns the key of
  // the thread from earlier in the file; 0 if there is none.
  uint32_t KeyOfMentioned(const SampledThread& thread);

  // Returns the thread's Java name or, if the thread has none, its kernel name; empty for a virtual
  // thread without a name.
  std::string NameOf(const SampledThread& thread);

 private:
  uint32_t Add(const ThreadInfo& info);
  uint32_t AddVirtual(int64_t id, const std::string& name);
  uint32_t GroupKeyOf(const JavaThreadInfo& info);

  ThreadNames& names_;
  VirtualNames& virtual_names_;
  ConstantPools& pools_;
  // The newest key of a thread. It applies from since_ns on, when the thread got its present name.
  struct Key {
    uint32_t key = 0;
    Nanos since_ns = 0;
  };

  const Key& NewestOf(uint32_t serial, Tid tid);

  std::unordered_map<uint32_t, Key> keys_;              // keyed by serial; for this drain
  std::unordered_map<int64_t, uint32_t> virtual_keys_;  // keyed by id; for this drain
};

}  // namespace jprof
