// ValidationDifferences groups the stacks that a validation has found to differ, by walker, sort of
// difference and interrupted code: the events profiler.StackValidation, which count the stacks of a
// group, and profiler.StackDifference, which have examples.
//
// Not thread-safe. Bounded: stacks of groups beyond kMostGroups, and of examples beyond kMostBytes,
// are only counted.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "jfr/reader/jfr_schema.h"
#include "profile/profile_event.h"

namespace jprof {

struct DifferenceExample {
  std::string instruction;
  std::string true_stack;    // a frame a line, callee first
  std::string walked_stack;  // likewise

  bool is_known() const { return !true_stack.empty() || !walked_stack.empty(); }
};

// The stacks of one walker that differ in the same way, in the same code.
struct DifferenceGroup {
  std::string layer;
  std::string walker;
  std::string verdict;  // empty for the sum of several groups
  std::string tier;     // likewise
  std::string cause;    // the interrupted code
  bool is_wrong = false;
  uint64_t stacks = 0;
  DifferenceExample example = {};
};

class ValidationDifferences {
 public:
  // The number of groups of a walker that Commonest returns.
  static constexpr size_t kMostOfWalker = 10;

  static bool IsOfDifferences(const profile::RecordedType& type);

  // Adds an event. REQUIRES: IsOfDifferences is true for its type.
  void OnEvent(const profile::ProfileEvent& event);

  // Returns the commonest errors of each walker, and then the commonest differences that are not
  // errors. The groups of a walker beyond kMostOfWalker are added up in one.
  std::vector<DifferenceGroup> Commonest() const;

 private:
  static constexpr size_t kMostGroups = 20'000;
  static constexpr size_t kMostBytes = size_t{32} << 20;

  DifferenceGroup* FindGroup(const profile::JfrEvent& event);

  std::map<std::string, DifferenceGroup> groups_;  // by all their texts
  size_t bytes_ = 0;                               // of the stacks of examples
};

}  // namespace jprof
