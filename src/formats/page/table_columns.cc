#include "formats/page/table_columns.h"

#include <algorithm>

namespace jprof {
namespace {

constexpr double kMillionths = 1e6;

// Returns the code of a number. Encodes NaN and infinities as 0, which the page shows as blank.
uint64_t Encoded(double number) {
  if (!std::isfinite(number)) return 0;
  const auto value =
      static_cast<int64_t>(std::llround(std::clamp(number, -kMaxPageNumber, kMaxPageNumber)));
  return 1 + (static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
}

// Returns the name of a unit in the scripts of the page (page/parts/events/event_types.js).
std::string_view NameOf(PageUnit unit, bool is_whole) {
  switch (unit) {
    case PageUnit::kTime:
      return "time";
    case PageUnit::kNanos:
      return "ns";
    case PageUnit::kBytes:
      return "bytes";
    case PageUnit::kFraction:
      return "percent";
    case PageUnit::kNumber:
      return is_whole ? "number" : "real";
  }
  return "";
}

// Returns the power of 1000 by which numbers up to `most` are divided to fit kMaxPageNumber.
uint64_t ScaleFor(double most) {
  constexpr uint64_t kLargest = 1'000'000'000'000'000'000;
  uint64_t scale = 1;
  while (most / static_cast<double>(scale) > kMaxPageNumber && scale < kLargest) scale *= 1000;
  return scale;
}

}  // namespace

void NumberColumn::Write(std::string_view name, std::string_view label, JsonWriter& json) const {
  // Fractions are written in millionths. Numbers too large for millionths are rounded to integers.
  const bool can_be_scaled = most_ < kMaxPageNumber / kMillionths;
  const bool is_fraction = unit_ == PageUnit::kFraction && can_be_scaled;
  const bool is_scaled = is_fraction || (unit_ == PageUnit::kNumber && !is_whole_ && can_be_scaled);
  const PageUnit unit = unit_ == PageUnit::kFraction && !is_fraction ? PageUnit::kNumber : unit_;
  VarintStream encoded;
  const uint64_t scale = is_scaled ? 1 : ScaleFor(most_);
  const double factor = is_scaled ? kMillionths : 1 / static_cast<double>(scale);
  for (const double number : numbers_) encoded.Add(Encoded(number * factor));
  json.BeginObject();
  json.Text("name", name);
  json.Text("label", label);
  json.Text("unit", NameOf(unit, !is_scaled));
  if (scale > 1) json.Number("scale", scale);
  json.Text("numbers", encoded.Base64());
  json.EndObject();
}

void TextColumn::Write(std::string_view name, std::string_view label, JsonWriter& json) const {
  json.BeginObject();
  json.Text("name", name);
  json.Text("label", label);
  json.Text("unit", "text");
  json.Texts("texts", texts_);
  json.Text("indices", indices_.Base64());
  json.EndObject();
}

}  // namespace jprof
