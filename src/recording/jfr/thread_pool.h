// ThreadPool: the constant pool of java.lang.Thread, with the key rule of ConstantPools::Thread.
// (A pool of constants; no threads run here.) Part of ConstantPools; one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace jprof {

class JfrEncoder;

struct ThreadConstant {
  // Identifies the thread in this process: a tid may name several threads one after the other.
  uint64_t serial = 0;
  int32_t os_tid = 0;
  std::string_view os_name;
  std::string_view java_name;  // empty: not a Java thread
  int64_t java_id = 0;
  uint32_t group_key = 0;
  bool is_virtual = false;
};

class ThreadPool {
 public:
  // Above every OS tid: Linux include/linux/threads.h (v6.1), PID_MAX_LIMIT.
  static constexpr uint32_t kFirstExtraKey = 1u << 22;

  uint32_t KeyOf(const ThreadConstant& constant);

  // Marks the entry as part of this chunk. Returns its group's key the first time, else 0.
  uint32_t Reference(uint32_t key);

  uint32_t referenced() const { return referenced_; }
  void Write(JfrEncoder& out, const std::function<void()>& spill) const;
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
    bool is_referenced;  // by an event of this chunk
    Entry* older;        // the same thread under an earlier name

    bool Equals(const ThreadConstant& constant) const;
  };

  std::deque<Entry> entries_;                            // stable addresses
  std::unordered_map<uint64_t, Entry*> newest_by_serial_;
  std::unordered_map<uint32_t, Entry*> by_key_;
  uint32_t next_extra_key_ = kFirstExtraKey;
  uint32_t referenced_ = 0;
};

}  // namespace jprof
