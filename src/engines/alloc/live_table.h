// LiveTable keeps at most `capacity` sampled objects (ReferencedObject). A full table drops light
// objects at random (thinning), in a way that keeps sums unbiased. An object is light if it stands
// for fewer bytes than a threshold. A light object is kept with a probability in proportion to the
// bytes that it stands for. If it is kept, it stands for as many bytes as the threshold from then
// on. ReferencedObject::factor is the ratio of the bytes that an object stands for to its original
// weight. Heavier objects stay unchanged, so the sum of a few large objects loses no precision.
//
// Whatever the threshold, each step leaves the expected contribution of every object to the sum
// unchanged, and the contributions of two objects stay uncorrelated (N. Duffield, C. Lund, M.
// Thorup, Priority sampling, 2007).
//
// Used by one thread at a time. Makes no call into the JVM: callers delete the references of
// dropped objects. Allocates only in the constructor.
#pragma once

#include <jni.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "jvm/method_info.h"
#include "sigsafe/base/split_mix.h"
#include "sigsafe/base/types.h"
#include "sigsafe/sampling/sample.h"
#include "threads/thread_infos.h"

namespace jprof {

// ReferencedObject is a sampled object, to which `reference` is a weak reference. A plain value.
struct ReferencedObject {
  jweak reference = nullptr;
  Nanos time_ns = 0;  // time of the sample; the object was allocated no later
  CallTraceId trace = kDroppedCallTrace;
  SampledThread thread;
  uint32_t thread_number = 0;  // number of the thread whose counter calibrates the weight
  uint32_t class_number = 0;
  uint64_t bytes = 0;
  double weight = 0;  // bytes that the sample stands for, without thinning
  double error = 0;   // standard error of `weight`, in bytes
  double factor = 1;  // ratio by which thinning has raised the bytes that the object stands for

  // Members that the recorder's thread sets:
  std::shared_ptr<const ThreadInfo> platform_thread;
  std::string virtual_name;
  std::shared_ptr<const ClassInfo> type;
  bool is_described = false;
  bool is_scaled = false;           // true if the weight is calibrated
  bool has_survived_young = false;  // true if no later young collection could free the object
  uint32_t age = 0;                 // survived collections that could have freed it

  double ThinnedWeight() const { return factor * weight; }
  // Returns the square of the standard error of ThinnedWeight.
  double ThinnedVariance() const {
    return factor * (error * error + (factor - 1) * weight * weight);
  }
};

class LiveTable {
 public:
  LiveTable(size_t capacity, uint64_t seed) : capacity_(capacity), random_(seed) {
    objects_.reserve(capacity);
  }

  // Returns the factor of a new object of this weight; 0 if the object is left out at random.
  // REQUIRES: weight > 0.
  double Admit(double weight) { return Draw(weight, threshold_) / weight; }
  double threshold() const { return threshold_; }
  void set_threshold(double threshold) { threshold_ = threshold; }

  // Adds an admitted object. Calls drop(reference) for each object that leaves a full table.
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
    if (objects_.size() <= capacity_ / 2) threshold_ /= 2;
  }

  std::vector<ReferencedObject>& objects() { return objects_; }
  const std::vector<ReferencedObject>& objects() const { return objects_; }

 private:
  // Returns the bytes that an object of this weight stands for under the threshold; 0 if it is left
  // out at random.
  double Draw(double weight, double threshold) {
    if (weight >= threshold) return weight;
    return UniformOf(Random()) * threshold < weight ? threshold : 0;
  }

  // If at least half of the objects are young, that is, have survived no collection, drops about
  // half of the young objects and no older ones, because older objects are few and stay long.
  // Otherwise drops about half of the older objects and no young ones.
  template <typename Drop>
  void Thin(Drop&& drop) {
    size_t young = 0;
    for (const ReferencedObject& object : objects_) young += object.age == 0 ? 1 : 0;
    const bool of_young = young * 2 >= objects_.size();
    const double threshold =
        ThresholdOf(of_young, static_cast<double>(of_young ? young : objects_.size() - young) / 2);
    if (of_young) threshold_ = std::max(threshold_, threshold);
    for (size_t i = 0; i < objects_.size();) {
      ReferencedObject& object = objects_[i];
      const double weight = object.ThinnedWeight();
      if ((object.age == 0) == of_young && weight < threshold) {
        object.factor = Draw(weight, threshold) / object.weight;
      }
      if (object.factor == 0) {
        Remove(i, drop);
      } else {
        ++i;
      }
    }
  }

  // Returns the threshold that leaves `count` of the young objects on average, or of the older ones
  // if `of_young` is false. The search takes at most 20 steps, each of which lowers the threshold:
  // objects above it stay as they are, and the others share the rest of `count`. After 20 steps the
  // result has nearly converged. REQUIRES: count > 0.
  double ThresholdOf(bool of_young, double count) const {
    double threshold = std::numeric_limits<double>::max();
    for (int step = 0; step < 20; ++step) {
      double light = 0;
      double room = count;
      for (const ReferencedObject& object : objects_) {
        if ((object.age == 0) != of_young) continue;
        const double weight = object.ThinnedWeight();
        weight < threshold ? light += weight : room -= 1;
      }
      if (light / room >= threshold) break;
      threshold = light / room;
    }
    return threshold;
  }

  template <typename Drop>
  void Remove(size_t i, Drop&& drop) {
    drop(objects_[i].reference);
    if (i + 1 != objects_.size()) objects_[i] = std::move(objects_.back());
    objects_.pop_back();
  }

  uint64_t Random() { return SplitMix(random_ += kSplitMixStep); }

  const size_t capacity_;
  uint64_t random_;
  double threshold_ = 0;  // threshold of new objects, in bytes
  std::vector<ReferencedObject> objects_;
};

}  // namespace jprof
