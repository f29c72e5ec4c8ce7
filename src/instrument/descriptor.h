// MethodDescriptor: the types of a method, from its descriptor (JVMS 4.3).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace jprof::instrument {

// Returns the number of local variables or stack slots that a value takes, by the descriptor of its
// type: two for long and double, none for void, else one.
inline uint32_t SlotsOf(std::string_view type) {
  if (type == "V") return 0;
  return type == "J" || type == "D" ? 2 : 1;
}

struct MethodDescriptor {
  // Parses `text`, to which the result refers. nullopt if the descriptor is malformed.
  static std::optional<MethodDescriptor> Parse(std::string_view text);

  uint32_t ParameterSlots() const;

  std::vector<std::string_view> parameters;
  std::string_view result;
};

}  // namespace jprof::instrument
