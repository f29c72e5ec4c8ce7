// ThreadTable: the constants of type java.lang.Thread, with their own rule for keys: a tid's first
// thread in the file has the tid as key; later threads of that tid, virtual threads and renamed
// threads get keys from 2^22. Part of ConstantPools; one thread.
//
// Virtual threads may be many and live shortly: they are forgotten with the chunk, and a later
// chunk gives them new keys. Their names cannot be read at every moment: one that is known in time
// for the chunk's end holds for all that the chunk has of the thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>

#include "recording/jfr/constants.h"

namespace jprof {

class JfrEncoder;

class ThreadTable {
 public:
  // Above every OS tid: Linux v6.1 include/linux/threads.h, PID_MAX_LIMIT.
  static constexpr uint32_t kFirstExtraKey = 1u << 22;

  uint32_t KeyOf(const ThreadConstant& constant);

  // The first reference of the chunk returns the key of the thread's group, all others 0.
  uint32_t Reference(uint32_t key);

  uint32_t referenced() const { return referenced_; }
  void Write(JfrEncoder& out, const std::function<void()>& spill) const;
  // Keys of virtual threads are valid up to here.
  void BeginChunk();

 private:
  struct Entry {
    uint32_t key;
    uint64_t serial;
    int32_t os_tid;
    std::string os_name;
    std::string java_name;
    int64_t java_id;
    uint32_t group_key;
    bool is_virtual;
    bool referenced;     // by an event of the open chunk
    const Entry* older;  // the same thread as it was described before

    bool Equals(const ThreadConstant& constant) const;
    // Takes over a name that was missing here. False: each has a name, and they differ.
    bool MergeName(const ThreadConstant& constant);
  };

  // Entries of one kind of threads, whose serials are their own. Addresses stay.
  struct Kind {
    std::deque<Entry> entries;
    std::unordered_map<uint64_t, Entry*> newest_by_serial;
  };

  uint32_t NewKey(const ThreadConstant& constant);

  Kind platform_;
  Kind virtual_;
  std::unordered_map<uint32_t, Entry*> by_key_;
  uint32_t next_extra_key_ = kFirstExtraKey;
  uint32_t referenced_ = 0;
};

}  // namespace jprof
