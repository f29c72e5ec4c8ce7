// RecentlyUsed: a map that drops entries that have not been looked up recently.
//
// Time is counted in generations, which the owner begins. An entry lives through the generation in
// which it was added or last found, and through the next. So the size is bounded by the lookups of
// two generations, however many keys there ever were. One thread. Entries do not move.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <utility>

namespace jprof {

template <class Key, class Value>
class RecentlyUsed {
 public:
  // Drops the entries that the ending generation did not look up.
  void BeginGeneration() { previous_ = std::exchange(current_, {}); }

  // nullptr: never added, or dropped. Valid through this generation and the next.
  Value* Find(const Key& key) {
    auto found = current_.find(key);
    if (found == current_.end()) {
      auto node = previous_.extract(key);
      if (node.empty()) return nullptr;
      found = current_.insert(std::move(node)).position;
    }
    return &found->second;
  }

  // Any value that `wanted` accepts, by a linear search; nullptr: there is none. Not a lookup.
  template <class Wanted>
  const Value* FindIf(Wanted wanted) const {
    for (const auto* entries : {&current_, &previous_}) {
      for (const auto& [key, value] : *entries) {
        if (wanted(value)) return &value;
      }
    }
    return nullptr;
  }

  // Replaces the value if there is one.
  Value& Set(const Key& key, Value value) {
    previous_.erase(key);
    return current_.insert_or_assign(key, std::move(value)).first->second;
  }

  size_t size() const { return current_.size() + previous_.size(); }

 private:
  std::unordered_map<Key, Value> current_;   // added or found in this generation
  std::unordered_map<Key, Value> previous_;  // in the previous generation, and not since
};

}  // namespace jprof
