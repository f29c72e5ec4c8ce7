// Dictionary: the tables that all profiles of a file share. One thread.
//
// Entries are numbered when something refers to them and equal entries are one, so there are no
// orphans and no duplicates; number 0 of every table is the zero value. An entry is kept as the
// bytes of its message: equal bytes are equal entries.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/exchange/code_locations.h"
#include "profile/profile.h"

namespace jprof {
class OutputStream;
}

namespace jprof::otlp {

class Dictionary {
 public:
  // REQUIRES: `profile` outlives this and does not change.
  explicit Dictionary(const profile::Profile& profile);

  uint32_t Text(std::string_view text) { return strings_.NumberOf(text); }
  uint32_t Attribute(std::string_view key, std::string_view value);
  uint32_t Attribute(std::string_view key, int64_t value);
  // Of ids in hex; 0: they are none.
  uint32_t Link(std::string_view trace_id, std::string_view span_id);
  uint32_t Stack(uint32_t stack);

  // The message.
  std::string Message() const;

 private:
  uint32_t Location(uint32_t location);
  uint32_t Function(uint32_t method);
  uint32_t MappingNumber(uint32_t mapping);

  const profile::Profile& profile_;
  const CodeLocations code_;
  Mappings mapping_of_frame_;
  profile::TextTable strings_, mappings_, locations_, functions_, links_, attributes_, stacks_;
  // Numbers by those of the profile; 0: none yet.
  std::vector<uint32_t> of_stack_, of_location_, of_method_;
  std::vector<uint32_t> numbers_;  // of the locations of a stack
};

}  // namespace jprof::otlp
