// MethodChoice chooses the classes and methods that get probes, by the patterns of a recording and
// the classes that are never probed (probe_exclusions.def).
//
// Thread-safe; not for handlers.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engines/method/traced_methods.h"
#include "instrument/add_probes.h"
#include "options/method_pattern.h"

namespace jprof {

class MethodChoice {
 public:
  explicit MethodChoice(std::vector<MethodPattern> patterns) : patterns_(std::move(patterns)) {}

  // Returns the reason why the class gets no probes, as the end of a sentence. An empty reason
  // means that no note names the class. Returns nullptr if the class can get probes.
  static const char* ExclusionOf(std::string_view class_name);

  bool MatchesClass(std::string_view name) const;
  // True if a pattern matches the class. If `is_counted` is true, considers only patterns that
  // count calls, else only patterns that time calls.
  bool MatchesClass(std::string_view name, bool is_counted) const;

  // Returns the method if it gets probes of the requested sort; else nullopt. Probes that only
  // count calls are requested if `is_counted` is true, probes that time calls otherwise. If several
  // patterns match the method, its calls are timed if one of these patterns asks for times, and a
  // call is slow if it reaches the shortest of the patterns' thresholds.
  std::optional<TracedMethod> Choose(const std::shared_ptr<const ClassInfo>& declaring,
                                     const instrument::MethodToProbe& method, bool is_counted);

  // Marks the patterns that match the class as matched. Called for a class that a note names
  // already.
  void MarkMatched(std::string_view name);

  // Returns the texts of the patterns that have matched nothing so far.
  std::vector<std::string> Unmatched() const;

 private:
  const std::vector<MethodPattern> patterns_;
  mutable std::mutex mutex_;  // guards all below
  std::set<const MethodPattern*> matched_;
};

}  // namespace jprof
