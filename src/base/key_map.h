// KeyMap: a map from 64-bit keys to numbers, for millions of entries. It uses open addressing, and
// cannot remove single entries.
//
// The number 0 (Number{}) means "absent". So numbers start at 1, and the caller of At must assign a
// number to a new entry. Keys come from unchecked files, so the hash is seeded per process: no file
// can be crafted to make the keys collide. Not synchronized.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace jprof {

template <class Number>
class KeyMapOf {
 public:
  // Returns the number of the key; 0 if the key is absent.
  Number Find(uint64_t key) const {
    if (slots_.empty()) return {};
    return slots_[SlotOf(key)].value;
  }

  // Returns a reference to the number of the key. If the key is new, the number is 0, and the
  // caller must assign one. The reference is valid until the next call of At, Reserve or Clear.
  Number& At(uint64_t key) {
    if (used_ * 3 >= slots_.size() * 2) Grow();
    Slot& slot = slots_[SlotOf(key)];
    if (slot.value == Number{} && slot.key != key) slot.key = key;
    if (slot.value == Number{}) ++used_;
    return slot.value;
  }

  // Makes room for a total of `count` entries.
  void Reserve(size_t count) {
    while (slots_.size() * 2 <= count * 3) Grow();
  }

  // Prefetches the memory of the key's entry, for a call of At that follows soon.
  void Prefetch(uint64_t key) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[Hash(key) & (slots_.size() - 1)], 1);
  }

  size_t size() const { return used_; }

  // Visits all entries, in no particular order.
  template <class Visit>
  void ForEach(const Visit& visit) const {
    for (const Slot& slot : slots_) {
      if (slot.value != Number{}) visit(slot.key, slot.value);
    }
  }

  void Clear() {
    slots_.clear();
    used_ = 0;
  }

  static uint64_t Hash(uint64_t key) {
    const uint64_t seed = reinterpret_cast<uintptr_t>(&kAnchor) * 0x9E3779B97F4A7C15ull;
    key = (key ^ seed) * 0xD6E8FEB86659FD93ull;
    key = (key ^ key >> 32) * 0xD6E8FEB86659FD93ull;
    return key ^ key >> 32;
  }

 private:
  struct Slot {
    uint64_t key = 0;
    Number value{};
  };

  size_t SlotOf(uint64_t key) const {
    const size_t mask = slots_.size() - 1;
    size_t at = Hash(key) & mask;
    while (slots_[at].value != Number{} && slots_[at].key != key) at = (at + 1) & mask;
    return at;
  }

  void Grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.value != Number{}) slots_[SlotOf(slot.key)] = slot;
    }
  }

  static inline const char kAnchor = 0;  // its address differs from run to run and seeds the hash

  std::vector<Slot> slots_;
  size_t used_ = 0;
};

using KeyMap = KeyMapOf<uint32_t>;

}  // namespace jprof
