// NumberColumn and TextColumn write a column of a table in the form that the page reads. Used by
// one thread.
//
// A number is converted to the unit of its column, rounded to an integer, and written as its zigzag
// code plus 1. A text is written as its index in the column's list of distinct texts, plus 1. A
// missing value is written as 0.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/json_writer.h"
#include "formats/varint_stream.h"
#include "profile/analysis/event_rows.h"

namespace jprof {

// The largest number whose code is exact on the page. The numbers of the page are doubles, and the
// zigzag code of a number is twice as large as the number.
inline constexpr double kMaxPageNumber = 4.5e15;

enum class PageUnit : uint8_t { kTime, kNanos, kBytes, kFraction, kNumber };

// True if values of this form are numbers on the page; false if they are texts.
constexpr bool IsNumberForm(profile::ValueForm form) {
  return form == profile::ValueForm::kNumber || form == profile::ValueForm::kDuration ||
         form == profile::ValueForm::kBytes || form == profile::ValueForm::kFraction;
}

constexpr PageUnit UnitOf(profile::ValueForm form) {
  switch (form) {
    case profile::ValueForm::kDuration:
      return PageUnit::kNanos;
    case profile::ValueForm::kBytes:
      return PageUnit::kBytes;
    case profile::ValueForm::kFraction:
      return PageUnit::kFraction;
    default:
      return PageUnit::kNumber;
  }
}

class NumberColumn {
 public:
  explicit NumberColumn(PageUnit unit) : unit_(unit) {}

  // Adds a number; NaN stands for no value.
  void Add(double number) {
    is_whole_ = is_whole_ && (std::isnan(number) || number == std::floor(number));
    if (std::isfinite(number) && std::fabs(number) > most_) most_ = std::fabs(number);
    numbers_.push_back(number);
  }
  void AddNone() { numbers_.push_back(std::nan("")); }

  void Write(std::string_view name, std::string_view label, JsonWriter& json) const;

 private:
  const PageUnit unit_;
  bool is_whole_ = true;
  double most_ = 0;
  std::vector<double> numbers_;
};

class TextColumn {
 public:
  void Add(std::string_view text) {
    const auto [at, is_new] = places_.emplace(std::string(text), texts_.size());
    if (is_new) texts_.push_back(at->first);
    indices_.Add(at->second + 1);
  }
  void AddNone() { indices_.Add(0); }

  void Write(std::string_view name, std::string_view label, JsonWriter& json) const;

 private:
  std::unordered_map<std::string, uint64_t> places_;  // never moves a key: texts_ refers to keys
  std::vector<std::string_view> texts_;
  VarintStream indices_;
};

// Writes a table of the page, whose columns `write_columns` writes.
template <typename WriteColumns>
void WriteTableObject(std::string_view name, std::string_view label, size_t count, JsonWriter& json,
                      WriteColumns write_columns) {
  json.BeginObject();
  json.Text("name", name);
  json.Text("label", label);
  json.Number("count", count);
  json.BeginArray("fields");
  write_columns();
  json.EndArray();
  json.EndObject();
}

}  // namespace jprof
