// KeyTable: numbers distinct values 1, 2, 3 ... for the life of a recording file, and remembers
// which of them the open chunk refers to. The common part of the constant pools; one thread.
#pragma once

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

  // The key of `value`, new if no equal value has one. `View` is Value, or for strings a view.
  template <class View>
  uint32_t KeyOf(const View& value) {
    const auto found = keys_.find(value);
    if (found != keys_.end()) return found->second;
    const auto key = static_cast<uint32_t>(values_.size() + 1);
    values_.push_back({&keys_.emplace(Value(value), key).first->first, false});
    return key;
  }

  // REQUIRES: a key that KeyOf returned.
  const Value& operator[](uint32_t key) const { return *values_[key - 1].value; }

  // True if this is the first reference of the chunk. Keys of no value are ignored.
  bool Reference(uint32_t key) {
    if (key == 0 || key > values_.size() || values_[key - 1].referenced) return false;
    values_[key - 1].referenced = true;
    ++referenced_;
    return true;
  }

  uint32_t referenced() const { return referenced_; }

  // Calls visit(key, value) in ascending order of keys.
  template <class Visit>
  void ForEachReferenced(Visit visit) const {
    for (size_t i = 0; i < values_.size(); ++i) {
      if (values_[i].referenced) visit(static_cast<uint32_t>(i + 1), *values_[i].value);
    }
  }

  void BeginChunk() {
    for (Slot& slot : values_) slot.referenced = false;
    referenced_ = 0;
  }

 private:
  struct Slot {
    const Value* value;  // into keys_, whose nodes do not move
    bool referenced;
  };

  std::unordered_map<Value, uint32_t, ConstantHash, std::equal_to<>> keys_;
  std::vector<Slot> values_;  // by key - 1
  uint32_t referenced_ = 0;
};

}  // namespace jprof
