// Descriptor: the types of a method or a field, from its descriptor (JVMS 4.3).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace jprof::instrument {

// A descriptor of one type, and the local variables or stack slots that a value takes: two for long
// and double, none for void.
inline uint32_t SlotsOf(std::string_view type) {
  if (type == "V") return 0;
  return type == "J" || type == "D" ? 2 : 1;
}

struct MethodDescriptor {
  // nullopt if it is malformed. Views of `text`.
  static std::optional<MethodDescriptor> Parse(std::string_view text);

  uint32_t ParameterSlots() const;

  std::vector<std::string_view> parameters;
  std::string_view result;
};

}  // namespace jprof::instrument
