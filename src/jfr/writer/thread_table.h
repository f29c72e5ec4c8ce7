// ThreadTable: the constants of the type java.lang.Thread, which have their own rule for keys. The
// key of the first thread with a tid in the file is the tid. Later threads with the same tid,
// virtual threads and renamed threads get keys from 2^22 on. Part of ConstantPools; not
// thread-safe.
//
// The table is bounded. A thread is dropped after its end. A former name of a live thread is
// dropped at the end of the first chunk that does not refer to the thread by this name. If the
// thread gets that name again later, it gets a new key. Virtual threads are dropped at the end of
// each chunk, and get new keys in later chunks.
//
// The description of a thread can be completed late: names of virtual threads cannot be read at
// every moment, and a Java thread looks like a native thread until the JVM has announced it. The
// description at the end of the first chunk with the thread applies to all events of the thread in
// that chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "jfr/writer/constants.h"

namespace jprof {

class JfrEncoder;

class ThreadTable {
 public:
  // Above every OS tid: Linux v6.1 include/linux/threads.h, PID_MAX_LIMIT.
  static constexpr uint32_t kFirstExtraKey = 1u << 22;

  // Returns the key of the thread with this description. If no entry fits the description, makes a
  // new key.
  uint32_t KeyOf(const ThreadConstant& constant);

  // Returns the newest key of the platform thread with this serial; 0 if the thread has no key.
  uint32_t Known(uint64_t serial) const;

  // Marks the thread as referenced by the open chunk. The first call in a chunk returns the key of
  // the thread's group; later calls return 0.
  uint32_t Reference(uint32_t key);

  bool IsReferenced(uint32_t key) const { return entries_.at(key).referenced; }
  uint32_t referenced() const { return referenced_; }
  size_t size() const { return entries_.size(); }
  void Write(JfrEncoder& out, const std::function<void()>& spill) const;

  // Drops the platform threads whose serials are not in `serials`. Called between two chunks.
  void KeepOnly(const std::unordered_set<uint64_t>& serials);
  // Begins a chunk: keys of virtual threads become invalid.
  void BeginChunk();

  // Calls visit(key) for the group of each thread.
  template <class Visit>
  void ForEachGroup(Visit visit) const {
    for (const auto& [key, entry] : entries_) visit(entry.group_key);
  }

 private:
  struct PooledThread {
    uint64_t serial;
    int32_t os_tid;
    std::string os_name;
    std::string java_name;
    int64_t java_id;
    uint32_t group_key;
    bool is_virtual;
    bool referenced = false;  // an event of the open chunk refers to the thread
    bool written = false;     // an earlier chunk has the entry, so it must not change

    explicit PooledThread(const ThreadConstant& constant);
    bool Equals(const ThreadConstant& constant) const;
    // Completes the description of the thread: adds the name of a virtual thread, or turns a native
    // thread that was not written yet into the Java thread `constant`. Returns true if the entry
    // now describes `constant`, and false if the caller has to find or make another entry.
    bool Merge(const ThreadConstant& constant);
  };

  // Maps a thread's serial to the keys of its successive descriptions, the newest last.
  using KeysBySerial = std::unordered_map<uint64_t, std::vector<uint32_t>>;

  uint32_t NewKey(const ThreadConstant& constant);

  std::map<uint32_t, PooledThread> entries_;  // keyed by the thread's key
  // A platform thread and a virtual thread can have the same serial.
  KeysBySerial platform_;
  KeysBySerial virtual_;
  std::vector<bool> is_used_;  // indexed by tid: true if the tid is a key of this file
  uint32_t next_extra_key_ = kFirstExtraKey;
  uint32_t referenced_ = 0;
};

}  // namespace jprof
