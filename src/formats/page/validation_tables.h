// ValidationTables are two tables of the page, for a recording of `jprof validate`: how many stacks
// of each walker are wrong, and how the stacks differ, with examples (docs/validation.md). Used by
// one thread.
#pragma once

#include "formats/json_writer.h"
#include "profile/analysis/validation_differences.h"
#include "profile/analysis/validation_sums.h"
#include "profile/profile_event.h"

namespace jprof {

class ValidationTables {
 public:
  // The name of the table of all walkers.
  static constexpr char kName[] = "validation";

  static bool IsOfValidation(const profile::RecordedType& type) {
    return ValidationDifferences::IsOfDifferences(type);
  }

  // Adds the event. REQUIRES: IsOfValidation(the event's type).
  void OnEvent(const profile::ProfileEvent& event);

  // True if the recording has results of comparisons.
  bool has_rows() const { return !sums_.rows().empty(); }

  // Writes the tables as elements of the array `events`. Writes nothing unless has_rows().
  void Write(JsonWriter& json) const;

 private:
  void WriteSums(JsonWriter& json) const;
  void WriteDifferences(JsonWriter& json) const;

  ValidationSums sums_;
  ValidationDifferences differences_;
};

}  // namespace jprof
