// TracedMethods maps the numbers that probes pass to the methods that have the probes.
//
// No number is used twice in a process, so that a call that began in an earlier recording is never
// taken for a call to another method.
//
// Thread-safe; not for handlers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "jvm/method_info.h"
#include "sigsafe/base/types.h"

namespace jprof {

struct TracedMethod {
  std::shared_ptr<const ClassInfo> declaring;  // never nullptr
  std::string name;
  std::string descriptor;
  uint32_t modifiers = 0;
  Nanos slow_from_ns = 0;
  bool is_counted = false;  // true if MethodPattern::is_counted is true for all patterns that match
  uint8_t window_edges = 0;  // bitwise or of MethodPattern::window_edge of all patterns that match

  // Returns a text such as "com.acme.Shop.order(I)V".
  std::string Text() const;
};

class TracedMethods {
 public:
  // The maximum number of methods of a recording: fewer than the 1024 for which
  // java/MethodProbes.java has room.
  static constexpr size_t kMost = 1000;

  static TracedMethods& OfProcess();

  // Forgets the methods of the last recording. Returns the first number of the next one.
  uint32_t Begin();

  // Returns the number of the method, and gives it a new one if it has none. Returns nullopt if
  // kMost methods have numbers already.
  std::optional<uint32_t> NumberOf(TracedMethod method);

  // Notes that the probes of the method are in its code, or could not be put there.
  void SetProbed(uint32_t number, bool is_probed);

  // Returns the method of the number; nullptr if the number is of an earlier recording.
  std::shared_ptr<const TracedMethod> Find(uint32_t number) const;

  // Returns the numbers of the methods with probes, ascending.
  std::vector<uint32_t> Probed() const;

 private:
  struct NumberedMethod {
    std::shared_ptr<const TracedMethod> method;
    bool is_probed = false;
  };

  mutable std::mutex mutex_;  // guards all below
  uint32_t first_ = 1;
  std::vector<NumberedMethod> entries_;     // indexed by number - first_
  std::map<std::string, uint32_t> places_;  // keyed by loader, class, name and descriptor
};

}  // namespace jprof
