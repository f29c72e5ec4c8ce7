// ConstantPools: the constants of one recording file. Takes constants as plain data and returns
// their keys, which events contain. KeyTable: the table of one type of constants.
//
// ConstantPools is used only by the recorder's thread. It lives as long as the file, over all
// chunks of the file. Its rules:
//  1. Within a chunk, equal content has the same key. Within the file, a key never stands for two
//     contents. 0 means "none". New keys ascend, except those of threads.
//  2. A chunk holds exactly the entries that its events reach (stack -> method -> class -> symbol,
//     loader ...). A constant that no event reaches takes no space in the file. FrameType and
//     ThreadState are small and always written whole.
//  3. At the end of a chunk, the constants that its events do not reach are dropped. The other
//     constants keep their keys in the next chunk. So the pools hold, besides the live threads,
//     only constants that were requested or reached in the open chunk or the chunk before it.
//  4. The file has an entry for every stack key of a chunk. The entry has no frames if the key has
//     no content.
// Strings are UTF-8 (base/modified_utf8.h converts strings of JVMTI).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "jfr/format/jfr_types.h"
#include "jfr/writer/constants.h"
#include "jfr/writer/jfr_encoder.h"
#include "jfr/writer/thread_table.h"

namespace jprof {

// Hashes strings, and entries that have a member function Hash.
struct ConstantHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  template <class Entry>
  size_t operator()(const Entry& entry) const requires requires {
    entry.Hash();
  }
  { return entry.Hash(); }
};

// Returns a hash of the words. Entries consist of keys, which are small consecutive numbers; a
// multiplication by 2^64 / golden ratio spreads them.
inline size_t HashWords(std::initializer_list<uint64_t> words) {
  uint64_t hash = 0;
  for (const uint64_t word : words) hash = (hash ^ word ^ (hash >> 29)) * 0x9E3779B97F4A7C15ull;
  return static_cast<size_t>(hash ^ (hash >> 32));
}

// KeyTable: numbers distinct values 1, 2, 3 ..., and marks the values that the open chunk refers
// to. All constant pools are KeyTables, except the pools of threads and of stacks and the pools
// with fixed entries. Not thread-safe.
//
// At the end of a chunk, the values that the chunk does not refer to are dropped. So the table
// holds only values that were passed to KeyOf or referenced in the open chunk or the chunk before
// it. A number is never reused in the recording file: if a dropped value is passed to KeyOf again,
// it gets a new number.
template <class Value>
class KeyTable {
 public:
  KeyTable() = default;
  KeyTable(const KeyTable&) = delete;
  KeyTable& operator=(const KeyTable&) = delete;

  // Returns the key of `value`. If no equal value has a key, makes a new one. `View` is Value, or a
  // string view if Value is a string.
  template <class View>
  uint32_t KeyOf(const View& value) {
    const auto found = entries_.find(value);
    if (found != entries_.end()) return found->second.key;
    const uint32_t key = ++last_key_;
    by_key_.emplace(key, &*entries_.emplace(Value(value), Use{key, false}).first);
    return key;
  }

  // Returns the value of `key`. REQUIRES: KeyOf has returned `key` in this chunk, or this chunk
  // refers to `key`.
  const Value& operator[](uint32_t key) const { return by_key_.at(key)->first; }

  // Marks the value as referenced by the open chunk. Returns true if this is the chunk's first
  // reference to the value, and false for later references and unknown keys.
  bool Reference(uint32_t key) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end() || found->second->second.referenced) return false;
    found->second->second.referenced = true;
    ++referenced_;
    return true;
  }

  uint32_t referenced() const { return referenced_; }
  size_t size() const { return entries_.size(); }

  // Calls visit(key, value) for every referenced value in ascending order of keys.
  template <class Visit>
  void ForEachReferenced(Visit visit) const {
    std::vector<const Entry*> referenced;
    referenced.reserve(referenced_);
    for (const Entry& entry : entries_) {
      if (entry.second.referenced) referenced.push_back(&entry);
    }
    std::ranges::sort(referenced, {}, [](const Entry* entry) { return entry->second.key; });
    for (const Entry* entry : referenced) visit(entry->second.key, entry->first);
  }

  void BeginChunk() {
    std::erase_if(entries_, [this](const Entry& entry) {
      return !entry.second.referenced && by_key_.erase(entry.second.key) != 0;
    });
    for (auto& [value, use] : entries_) use.referenced = false;
    referenced_ = 0;
  }

 private:
  struct Use {
    uint32_t key;
    bool referenced;
  };
  using Entries = std::unordered_map<Value, Use, ConstantHash, std::equal_to<>>;
  using Entry = typename Entries::value_type;

  Entries entries_;
  std::unordered_map<uint32_t, Entry*> by_key_;  // into entries_, whose nodes do not move
  uint32_t last_key_ = 0;
  uint32_t referenced_ = 0;
};

// StackTracePool: the stack traces of the open chunk, in the encoding of the file.
//
// Part of ConstantPools; not thread-safe. Set encodes the frames of a stack (about 7 bytes per
// frame) into a block of memory, and Write copies the blocks to the file. So each stack is in
// memory only once, and no array has to grow. Keys ascend without gaps over the whole file;
// contents are dropped at the end of the chunk.
class StackTracePool {
 public:
  uint32_t NewKey();

  // Sets the content of a key. Returns false, without effect, if `key` already has a content or is
  // not a key of this chunk.
  bool Set(uint32_t key, Truncated truncated, std::span<const FrameConstant> frames);

  // The number of keys in this chunk, including keys without content, which are written without
  // frames.
  uint32_t count() const { return static_cast<uint32_t>(has_content_.size()); }

  // The memory of the contents in bytes.
  uint64_t bytes() const;

  void Write(JfrEncoder& out, const std::function<void()>& spill) const;
  void BeginChunk();

 private:
  static constexpr size_t kBlockSize = 1 << 20;

  JfrEncoder& BlockWithRoom(size_t bytes);

  uint32_t first_key_ = 1;          // first key of this chunk
  std::vector<bool> has_content_;   // indexed by key - first_key_
  std::vector<JfrEncoder> blocks_;  // each holds whole entries
};

class ConstantPools {
 public:
  uint32_t Symbol(std::string_view utf8) { return symbols_.KeyOf(utf8); }
  uint32_t Class(const ClassConstant& constant);
  uint32_t Method(const MethodConstant& constant);
  uint32_t ClassLoader(const ClassLoaderConstant& constant);
  uint32_t ThreadGroup(const ThreadGroupConstant& constant);
  // GCName and GCCause return 0 for an empty text.
  uint32_t GCName(std::string_view utf8) { return utf8.empty() ? 0 : gc_names_.KeyOf(utf8); }
  uint32_t GCCause(std::string_view utf8) { return utf8.empty() ? 0 : gc_causes_.KeyOf(utf8); }

  // Returns the key of a thread. The key of the first thread with a tid in this file is the tid,
  // because async-profiler prints the key as the tid. A later thread with the same tid, a virtual
  // thread and a thread whose name has changed have keys from 2^22 on.
  uint32_t Thread(const ThreadConstant& constant);
  // Returns the newest key of the platform thread with this serial; 0 if the thread has no key.
  uint32_t KnownThread(uint64_t serial) const { return threads_.Known(serial); }

  // Returns a new key for a stack trace. The key is valid only in this chunk. Called at the first
  // event with the trace in the chunk.
  uint32_t NewStackTraceKey() { return stacks_.NewKey(); }

  // Sets the frames of a trace, leaf first, at any time before the chunk is sealed. Has no effect
  // if the frames of `key` are already set. REQUIRES: `key` is a key of this chunk.
  void SetStackTrace(uint32_t key, Truncated truncated, std::span<const FrameConstant> frames);

  // Returns the memory of the chunk's stacks so far, in bytes.
  uint64_t StackBytes() const { return stacks_.bytes(); }

  // ---- Only JfrWriter and its parts call the functions below.

  // Marks `key` as referenced by an event of the open chunk.
  void Reference(JfrType type, uint32_t key) {
    if (type == JfrType::kThread) {
      ReferenceGroup(threads_.Reference(key));
    } else {
      ReferenceRare(type, key);
    }
  }

  // Appends the number of pools and the pools, which are the last part of a checkpoint. `spill` is
  // called between entries and may move the bytes of `out` elsewhere. Another call before
  // BeginChunk writes the same bytes again.
  void Write(JfrEncoder& out, const std::function<void()>& spill) const;

  // Drops the stacks of the previous chunk, and the constants that no event of that chunk has
  // reached.
  void BeginChunk();

  // Drops the platform threads whose serials are not in `serials`. Called between two chunks.
  void KeepThreads(const std::unordered_set<uint64_t>& serials) { threads_.KeepOnly(serials); }

  // The number of constants that have a key. Stacks are not counted.
  size_t size() const;

 private:
  struct ClassEntry {
    uint32_t loader_key, name_key, modifiers;
    bool hidden;
    bool operator==(const ClassEntry&) const = default;
    size_t Hash() const { return HashWords({loader_key, name_key, modifiers, hidden}); }
  };
  struct MethodEntry {
    uint32_t class_key, name_key, descriptor_key, modifiers;
    bool hidden;
    bool operator==(const MethodEntry&) const = default;
    size_t Hash() const {
      return HashWords({class_key, name_key, descriptor_key, modifiers, hidden});
    }
  };
  struct LoaderEntry {
    uint32_t class_key, name_key;
    bool operator==(const LoaderEntry&) const = default;
    size_t Hash() const { return HashWords({class_key, name_key}); }
  };
  struct GroupEntry {
    uint32_t parent_key, name_key;  // the file has the name itself in place of name_key
    bool operator==(const GroupEntry&) const = default;
    size_t Hash() const { return HashWords({parent_key, name_key}); }
  };

  void ReferenceRare(JfrType type, uint32_t key);
  void ReferenceMethod(uint32_t key);
  void ReferenceClass(uint32_t key);
  void ReferenceGroup(uint32_t key);

  void WriteGroups(JfrEncoder& out, const std::function<void()>& spill) const;
  void WriteMethods(JfrEncoder& out, const std::function<void()>& spill) const;
  void WriteClasses(JfrEncoder& out, const std::function<void()>& spill) const;
  void WriteLoaders(JfrEncoder& out, const std::function<void()>& spill) const;
  void WriteSymbols(JfrEncoder& out, const std::function<void()>& spill) const;

  KeyTable<std::string> symbols_;
  KeyTable<ClassEntry> classes_;
  KeyTable<MethodEntry> methods_;
  KeyTable<LoaderEntry> loaders_;
  KeyTable<GroupEntry> groups_;
  KeyTable<std::string> gc_names_;
  KeyTable<std::string> gc_causes_;
  bool gc_when_is_referenced_ = false;
  ThreadTable threads_;
  StackTracePool stacks_;
};

}  // namespace jprof
