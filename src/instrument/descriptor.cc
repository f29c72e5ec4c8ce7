#include "instrument/descriptor.h"

namespace jprof::instrument {
namespace {

constexpr std::string_view kPrimitives = "BCDFIJSZ";

// Returns the type at the start of `text`; empty if there is none.
std::string_view FirstType(std::string_view text) {
  const size_t element = text.find_first_not_of('[');
  if (element == std::string_view::npos) return {};
  if (kPrimitives.find(text[element]) != std::string_view::npos) return text.substr(0, element + 1);
  if (text[element] != 'L') return {};
  const size_t end = text.find(';', element);
  if (end == std::string_view::npos || end == element + 1) return {};
  return text.substr(0, end + 1);
}

}  // namespace

std::optional<MethodDescriptor> MethodDescriptor::Parse(std::string_view text) {
  MethodDescriptor descriptor;
  if (!text.starts_with('(')) return std::nullopt;
  text.remove_prefix(1);
  while (!text.starts_with(')')) {
    const std::string_view type = FirstType(text);
    if (type.empty()) return std::nullopt;
    descriptor.parameters.push_back(type);
    text.remove_prefix(type.size());
  }
  descriptor.result = text.substr(1);
  const bool is_type =
      descriptor.result == "V" ||
      (!descriptor.result.empty() && FirstType(descriptor.result) == descriptor.result);
  if (!is_type) return std::nullopt;
  return descriptor;
}

uint32_t MethodDescriptor::ParameterSlots() const {
  uint32_t slots = 0;
  for (const std::string_view parameter : parameters) slots += SlotsOf(parameter);
  return slots;
}

}  // namespace jprof::instrument
