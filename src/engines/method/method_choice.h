// MethodChoice: chooses the classes and methods that get probes, by the patterns of a recording and
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

  // Returns why the class gets no probes, as the end of a sentence; "": for a reason that no note
  // has; nullptr: the class can get probes.
  static const char* ExclusionOf(std::string_view class_name);

  bool MatchesClass(std::string_view name) const;
  // True if a pattern of that form matches the class. `is_counted`: the form whose methods are only
  // counted; else they are timed.
  bool MatchesClass(std::string_view name, bool is_counted) const;

  // Returns the method if it gets probes of that form. If several patterns match, calls are timed
  // if one of the patterns asks for it, and recorded from the shortest of their times on.
  std::optional<TracedMethod> Choose(const std::shared_ptr<const ClassInfo>& declaring,
                                     const instrument::MethodToProbe& method, bool is_counted);

  // Marks the patterns that match the class as matched, because a note names it.
  void MarkMatched(std::string_view name);

  // Returns the texts of the patterns that have matched nothing so far.
  std::vector<std::string> Unmatched() const;

 private:
  const std::vector<MethodPattern> patterns_;
  mutable std::mutex mutex_;  // guards all below
  std::set<const MethodPattern*> matched_;
};

}  // namespace jprof
