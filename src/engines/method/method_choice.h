// MethodChoice: which classes and methods get probes, by the patterns of a recording and by what is
// never probed (probe_exclusions.def).
//
// Thread-safe, outside handlers.
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

  // Why no probe is put into the class, the end of a sentence ("": that is not said). nullptr: they
  // are.
  static const char* ExclusionOf(std::string_view class_name);

  bool MatchesClass(std::string_view name) const;
  // Whether any pattern that wants its methods counted alone, or else timed, matches the class.
  bool MatchesClass(std::string_view name, bool is_counted) const;

  // The method, if it is to have probes of that form. Where several patterns match, a call is timed
  // if one of them wants that, and recorded from the shortest of their times on.
  std::optional<TracedMethod> Choose(const std::shared_ptr<const ClassInfo>& declaring,
                                     const instrument::MethodToProbe& method, bool is_counted);

  // The patterns of a class that is named in a note.
  void MarkMatched(std::string_view name);

  // The texts of the patterns that have matched nothing so far.
  std::vector<std::string> Unmatched() const;

 private:
  const std::vector<MethodPattern> patterns_;
  mutable std::mutex mutex_;  // guards all below
  std::set<const MethodPattern*> matched_;
};

}  // namespace jprof
