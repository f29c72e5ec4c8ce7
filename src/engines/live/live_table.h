// LiveTable: at most so many objects. Each stands for `factor` times its weight, so that sums stay
// unbiased when objects are left out by chance.
//
// One thread at a time; no call of the JVM: callers delete the references of what is dropped.
// Allocates in the constructor alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "engines/live/referenced_object.h"

namespace jprof {

class LiveTable {
 public:
  LiveTable(size_t capacity, uint64_t seed) : capacity_(capacity), random_(seed) {
    objects_.reserve(capacity);
  }

  // Whether a new object enters, by chance. It then stands for admission() times its weight.
  bool Admit() { return admission_ == 1 || Random() % admission_ == 0; }
  uint32_t admission() const { return admission_; }
  void set_admission(uint32_t admission) { admission_ = admission; }

  // Adds an admitted object. Calls drop(reference) for what leaves a full table, which may be the
  // new one.
  template <typename Drop>
  void Add(ReferencedObject object, Drop&& drop) {
    while (objects_.size() >= capacity_) Thin(drop);
    objects_.push_back(std::move(object));
  }

  // Drops the objects for which is_dead(object) is true.
  template <typename IsDead, typename Drop>
  void Sweep(IsDead&& is_dead, Drop&& drop) {
    for (size_t i = 0; i < objects_.size();) {
      if (is_dead(objects_[i])) {
        Remove(i, drop);
      } else {
        ++i;
      }
    }
    if (objects_.size() <= capacity_ / 2 && admission_ > 1) admission_ /= 2;
  }

  std::vector<ReferencedObject>& objects() { return objects_; }
  const std::vector<ReferencedObject>& objects() const { return objects_; }

 private:
  // Most factors are small: an object is not thinned beyond this, but dropped at last.
  static constexpr uint32_t kMostAdmission = 1u << 16;

  // Objects that have survived a collection are few and stay long: their weights are doubled only
  // where they make up most of the table themselves.
  template <typename Drop>
  void Thin(Drop&& drop) {
    size_t young = 0;
    for (const ReferencedObject& object : objects_) young += object.age == 0 ? 1 : 0;
    const bool of_young = young * 2 >= objects_.size();
    if (of_young && admission_ < kMostAdmission) admission_ *= 2;
    for (size_t i = 0; i < objects_.size();) {
      ReferencedObject& object = objects_[i];
      if ((object.age == 0) != of_young) {
        ++i;
      } else if ((Random() & 1) != 0) {
        object.factor *= 2;
        ++i;
      } else {
        Remove(i, drop);
      }
    }
  }

  template <typename Drop>
  void Remove(size_t i, Drop&& drop) {
    drop(objects_[i].reference);
    if (i + 1 != objects_.size()) objects_[i] = std::move(objects_.back());
    objects_.pop_back();
  }

  // SplitMix64 (Steele, Lea, Flood 2014).
  uint64_t Random() {
    uint64_t z = random_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }

  const size_t capacity_;
  uint64_t random_;
  uint32_t admission_ = 1;  // a power of 2
  std::vector<ReferencedObject> objects_;
};

}  // namespace jprof
