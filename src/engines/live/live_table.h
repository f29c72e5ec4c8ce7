// LiveTable: at most so many objects. Each stands for `factor` times its weight, so that sums stay
// unbiased when objects are left out by chance: by a threshold, below which an object stays in
// proportion to what it stands for, and then stands for the threshold. Heavier ones stay as they
// are, so a few large objects cost their sum no precision.
//
// Each step leaves the expectation of every object's part as it is, whatever the threshold, and
// those of two objects uncorrelated (N. Duffield, C. Lund, M. Thorup, Priority sampling, 2007).
//
// One thread at a time; no call of the JVM: callers delete the references of what is dropped.
// Allocates in the constructor alone.
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

// ReferencedObject: a sampled object, by a weak reference of the JVM. A plain value.
struct ReferencedObject {
  jweak reference = nullptr;
  Nanos time_ns = 0;  // it is not younger
  CallTraceId trace = kDroppedCallTrace;
  SampledThread thread;
  uint32_t thread_number = 0;  // by which it is calibrated
  uint32_t class_number = 0;
  uint64_t bytes = 0;
  // What the sample stands for, and its standard error, in bytes; without thinning.
  double weight = 0;
  double error = 0;
  double factor = 1;  // thinning (live_table.h)

  // Set by the recorder's thread.
  std::shared_ptr<const ThreadInfo> platform_thread;
  std::string virtual_name;
  std::shared_ptr<const ClassInfo> type;
  bool is_described = false;
  bool is_scaled = false;           // the weight is calibrated
  bool has_survived_young = false;  // later young collections say nothing
  uint32_t age = 0;                 // collections survived that could have freed it

  double ThinnedWeight() const { return factor * weight; }
  // The square of the standard error of that.
  double ThinnedVariance() const {
    return factor * (error * error + (factor - 1) * weight * weight);
  }
};

class LiveTable {
 public:
  LiveTable(size_t capacity, uint64_t seed) : capacity_(capacity), random_(seed) {
    objects_.reserve(capacity);
  }

  // The factor of a new object of this weight; 0: it stays out, by chance. REQUIRES: weight > 0.
  double Admit(double weight) { return Draw(weight, threshold_) / weight; }
  double threshold() const { return threshold_; }
  void set_threshold(double threshold) { threshold_ = threshold; }

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
    if (objects_.size() <= capacity_ / 2) threshold_ /= 2;
  }

  std::vector<ReferencedObject>& objects() { return objects_; }
  const std::vector<ReferencedObject>& objects() const { return objects_; }

 private:
  // What an object of this weight stands for after it has met the threshold; 0: it is left out.
  double Draw(double weight, double threshold) {
    if (weight >= threshold) return weight;
    return UniformOf(Random()) * threshold < weight ? threshold : 0;
  }

  // Objects that have survived a collection are few and stay long: they are thinned only where they
  // make up most of the table themselves.
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

  // That leaves `count` of the young objects, or of the others, on average. Those that are heavier
  // leave less room for the rest, so that it falls from step to step, to an end that it nearly has
  // after some. REQUIRES: count > 0.
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
  double threshold_ = 0;  // of new objects; bytes
  std::vector<ReferencedObject> objects_;
};

}  // namespace jprof
