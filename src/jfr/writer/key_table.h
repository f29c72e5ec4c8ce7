// KeyTable: numbers distinct values 1, 2, 3 ..., and marks the values that the open chunk refers
// to. The common part of the constant pools; one thread.
//
// Values that a chunk does not refer to are dropped at its end: the size is bounded by the requests
// of one chunk. A number is never reused in the recording file; a value that returns gets another
// number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace jprof {

// Hash of strings and of entries, which have a Hash() of their own.
struct ConstantHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  template <class Entry>
  size_t operator()(const Entry& entry) const requires requires {
    entry.Hash();
  }
  { return entry.Hash(); }
};

// Multiplies by 2^64 / golden ratio: spreads the dense keys that entries consist of.
inline size_t HashWords(std::initializer_list<uint64_t> words) {
  uint64_t hash = 0;
  for (const uint64_t word : words) hash = (hash ^ word ^ (hash >> 29)) * 0x9E3779B97F4A7C15ull;
  return static_cast<size_t>(hash ^ (hash >> 32));
}

template <class Value>
class KeyTable {
 public:
  KeyTable() = default;
  KeyTable(const KeyTable&) = delete;
  KeyTable& operator=(const KeyTable&) = delete;

  // The key of `value`; a new key if no equal value has one. `View` is Value, or for strings a
  // view.
  template <class View>
  uint32_t KeyOf(const View& value) {
    const auto found = entries_.find(value);
    if (found != entries_.end()) return found->second.key;
    const uint32_t key = ++last_key_;
    by_key_.emplace(key, &*entries_.emplace(Value(value), Use{key, false}).first);
    return key;
  }

  // REQUIRES: a key that KeyOf returned in this chunk, or that this chunk refers to.
  const Value& operator[](uint32_t key) const { return by_key_.at(key)->first; }

  // True if this is the first reference of the chunk. Unknown keys are ignored.
  bool Reference(uint32_t key) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end() || found->second->second.referenced) return false;
    found->second->second.referenced = true;
    ++referenced_;
    return true;
  }

  uint32_t referenced() const { return referenced_; }
  size_t size() const { return entries_.size(); }

  // Calls visit(key, value) in ascending order of keys.
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

}  // namespace jprof
