#include "options/byte_size.h"

#include <array>

#include "options/number_with_unit.h"

namespace jprof {
namespace {

constexpr auto kUnits = std::to_array<NumberUnit>({
    {"", 1},
    {"k", int64_t{1} << 10},
    {"m", int64_t{1} << 20},
    {"g", int64_t{1} << 30},
});

}  // namespace

Result<int64_t> ParseByteSize(std::string_view text) {
  const NumberOrFault number = ParseNumberWithUnit(text, kUnits);
  if (number.fault == NumberFault::kNotANumber) {
    return Error("is not a size: write a whole number and k, m or g, as in 64m");
  }
  if (number.fault == NumberFault::kTooLarge) return Error("is more than any memory");
  return number.value;
}

}  // namespace jprof
