// RecentlyUsed: a map that drops entries that have not been looked up recently.
//
// Time is counted in generations, which the owner starts. An entry stays through the generation in
// which it was added or last found, and through the next one. So the size is at most the number of
// keys that were added or found in two generations. Entries do not move. Not synchronized.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <utility>

namespace jprof {

template <class Key, class Value>
class RecentlyUsed {
 public:
  // Starts a generation. Drops the entries that were neither added nor found in the generation that
  // ends.
  void BeginGeneration() { previous_ = std::exchange(current_, {}); }

  // Looks up a key. Returns nullptr if the key was never added, or if its entry was dropped. The
  // pointer is valid through this generation and the next.
  Value* Find(const Key& key) {
    auto found = current_.find(key);
    if (found == current_.end()) {
      auto node = previous_.extract(key);
      if (node.empty()) return nullptr;
      found = current_.insert(std::move(node)).position;
    }
    return &found->second;
  }

  // Adds the key with the value, or replaces the value of the key.
  Value& Set(const Key& key, Value value) {
    previous_.erase(key);
    return current_.insert_or_assign(key, std::move(value)).first->second;
  }

  size_t size() const { return current_.size() + previous_.size(); }

 private:
  std::unordered_map<Key, Value> current_;   // entries added or found in this generation
  std::unordered_map<Key, Value> previous_;  // entries of the previous generation, not found since
};

}  // namespace jprof
