// ProbedMethods: the methods that have the probes of a validation, by their numbers.
//
// Numbers start at 1, and no number is used twice in the life of the process. So a probe that is
// called after its recording has ended is recognised.
//
// Thread-safe; not for handlers.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engines/method/traced_methods.h"
#include "instrument/add_probes.h"

namespace jprof {

// The part that a method has in mounting virtual threads.
enum class MountRole : uint8_t {
  kNone,
  // The method runs a virtual thread on its carrier. While it is on the stack of the carrier, the
  // stack does not show to which thread the innermost methods belong.
  kRuns,
  kBetween,  // the method runs while a virtual thread is being mounted or unmounted
  kEnters,   // all frames that this method calls are those of a virtual thread
};

class ProbedMethods {
 public:
  // The maximum number of methods of a recording.
  static constexpr uint32_t kMost = 1 << 20;

  ProbedMethods();

  // Returns the smallest number of this recording.
  uint32_t first() const { return first_; }

  // Returns the number of the method; nullopt if kMost methods have numbers.
  std::optional<uint32_t> Add(const TracedMethod& method);
  // True if a method of this recording has the number.
  bool Has(uint32_t number) const;
  // Keeps the probe code of the method. Counts the method, as probed or not.
  void SetReport(const instrument::MethodReport& report);

  // Note that frames of the method have the id `id` (hotspot/java_method.h), or this jmethodID.
  // Called by a probe of the method, before the method is pushed.
  void Learn(uint32_t number, uint64_t id);
  void Learn(uint32_t number, jmethodID method);
  // True if an id of the method is known. Until then, its frames in a stack of our walker have no
  // number: a method is pushed even if the stack at its entry could not be walked.
  bool HasId(uint32_t number) const;
  // True if a jmethodID of the method is known: the same for stacks of AsyncGetCallTrace.
  bool HasJmethodId(uint32_t number) const;

  // Returns the number of calls until the next check of the method: kFirstInterval after the first
  // check, then twice as many each time, up to kLastInterval.
  int32_t NextInterval(uint32_t number);

  // Returns the number of the method; 0 if it is not known to be probed.
  uint32_t NumberOf(uint64_t id) const;
  uint32_t NumberOf(jmethodID method) const;

  // The role of the methods with the id `id`; nullopt before the first call of SetMountRole for it.
  std::optional<MountRole> MountRoleOf(uint64_t id) const;
  void SetMountRole(uint64_t id, MountRole role);

  // True if the bytecode index is in the code of the method's probes.
  bool IsInProbes(uint32_t number, int32_t bci) const;

  std::string TextOf(uint32_t number) const;
  // Returns the number of the method's names (audit/method_tokens.h); 0 if there is no such method.
  uint64_t TokenOf(uint32_t number) const;

  // Returns the number of methods with probes, and that of chosen methods without probes.
  uint32_t probed() const;
  uint32_t unprobed() const;

 private:
  static constexpr int32_t kFirstInterval = 64;
  static constexpr int32_t kLastInterval = 1 << 12;

  struct Method {
    std::string text;
    uint64_t token;
    std::vector<instrument::CodeRange> probe_code;
    int32_t interval;
    bool has_id = false;
    bool has_jmethod_id = false;
  };

  // Return the method with the number; nullptr if this recording has none. Called under the lock.
  const Method* Of(uint32_t number) const {
    return number - first_ < methods_.size() ? &methods_[number - first_] : nullptr;
  }
  Method* Of(uint32_t number) {
    return number - first_ < methods_.size() ? &methods_[number - first_] : nullptr;
  }

  mutable std::mutex mutex_;  // guards all below
  uint32_t first_;
  uint32_t probed_ = 0;
  uint32_t unprobed_ = 0;
  std::vector<Method> methods_;  // indexed by number - first_
  std::unordered_map<uint64_t, uint32_t> by_id_;
  std::unordered_map<jmethodID, uint32_t> by_jmethod_;
  std::unordered_map<uint64_t, MountRole> mount_roles_;  // by the id
};

}  // namespace jprof
