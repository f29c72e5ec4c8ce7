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

  // Returns the reason why the class gets no probes, as the end of a sentence. The text is empty if
  // no note is to name the class. Returns nullptr if the class can get probes.
  static const char* ExclusionOf(std::string_view class_name);

  bool MatchesClass(std::string_view name) const;
  // True if a pattern matches the class. Considers the patterns whose methods are only counted if
  // `is_counted` is true, else those whose methods are timed.
  bool MatchesClass(std::string_view name, bool is_counted) const;

  // Returns the method if it gets probes, which only count if `is_counted` is true, else time. If
  // several patterns match, calls are timed if one of the patterns asks for it, and are slow from
  // the shortest of the patterns' times on.
  std::optional<TracedMethod> Choose(const std::shared_ptr<const ClassInfo>& declaring,
                                     const instrument::MethodToProbe& method, bool is_counted);

  // Marks the patterns that match the class as matched. Called if a note names the class already.
  void MarkMatched(std::string_view name);

  // Returns the texts of the patterns that have matched nothing so far.
  std::vector<std::string> Unmatched() const;

 private:
  const std::vector<MethodPattern> patterns_;
  mutable std::mutex mutex_;  // guards all below
  std::set<const MethodPattern*> matched_;
};

}  // namespace jprof
