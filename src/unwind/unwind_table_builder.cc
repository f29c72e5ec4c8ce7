#include "unwind/unwind_table_builder.h"

#include <cstring>
#include <new>
#include <string>
#include <utility>

namespace jprof {
namespace {

constexpr uint64_t kMaxCode = UINT32_MAX;

size_t Aligned(size_t bytes) { return (bytes + 7) & ~size_t{7}; }

uint64_t Mixed(const Place& place) {
  return uint64_t{static_cast<uint32_t>(place.offset)} << 16 | uint64_t{place.dwarf_register} << 8 |
         static_cast<uint64_t>(place.kind);
}

}  // namespace

size_t UnwindTableBuilder::Hash::operator()(const UnwindRule& rule) const {
  constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio
  uint64_t hash = uint64_t{static_cast<uint32_t>(rule.cfa_offset)} << 32 |
                  uint64_t{rule.cfa_detail} << 16 | uint64_t{rule.cfa_register} << 8 |
                  static_cast<uint64_t>(rule.cfa) << 1 | (rule.is_signal_frame ? 1 : 0);
  for (const Place& place : {rule.return_address, rule.frame_pointer, rule.saved}) {
    hash = (hash ^ hash >> 29) * kFactor + Mixed(place);
  }
  return (hash ^ hash >> 32) * kFactor;
}

UnwindTableBuilder::UnwindTableBuilder(uint64_t code_size) : code_size_(code_size) { Add(0, {}); }

uint32_t UnwindTableBuilder::NumberOf(const UnwindRule& rule) {
  const auto [entry, is_new] = numbers_.try_emplace(rule, static_cast<uint32_t>(rules_.size()));
  if (is_new) rules_.push_back(rule);
  return entry->second;
}

void UnwindTableBuilder::Add(uint64_t offset, const UnwindRule& rule) {
  if (offset > kMaxCode || (offset >= code_size_ && offset != 0)) return;
  if (rules_.size() == UnwindTable::kMaxRules && !numbers_.contains(rule)) return;
  const PlainRow row = {static_cast<uint32_t>(offset), NumberOf(rule)};
  if (!rows_.empty() && rows_.back().offset == row.offset) {
    rows_.back() = row;
  } else if (rows_.empty() || rows_.back().rule != row.rule) {
    rows_.push_back(row);
  }
}

Result<BuiltTable> UnwindTableBuilder::Build() {
  if (code_size_ > kMaxCode) return Error("code of " + std::to_string(code_size_) + " bytes");
  const size_t blocks = (code_size_ >> UnwindTable::kBlockBits) + 1;
  const size_t rules_at = Aligned(sizeof(UnwindTable));
  const size_t first_rows_at = rules_at + Aligned(rules_.size() * sizeof(UnwindRule));
  const size_t rows_at = first_rows_at + Aligned((blocks + 1) * sizeof(uint32_t));
  const size_t bytes = rows_at + rows_.size() * sizeof(uint32_t);
  Result<Pages> pages = Pages::Reserve(bytes);
  if (!pages) return pages.error();
  auto* start = static_cast<uint8_t*>(pages.value().region().data);

  auto* rules = reinterpret_cast<UnwindRule*>(start + rules_at);
  auto* first_rows = reinterpret_cast<uint32_t*>(start + first_rows_at);
  auto* rows = reinterpret_cast<uint32_t*>(start + rows_at);
  memcpy(rules, rules_.data(), rules_.size() * sizeof(UnwindRule));
  size_t next = 0;
  for (size_t block = 0; block < blocks; ++block) {
    first_rows[block] = static_cast<uint32_t>(next);
    for (; next < rows_.size() && rows_[next].offset >> UnwindTable::kBlockBits == block; ++next) {
      rows[next] = UnwindTable::Row(rows_[next].offset, rows_[next].rule);
    }
  }
  first_rows[blocks] = static_cast<uint32_t>(next);
  const auto* table = new (start) UnwindTable({first_rows, rows, rules, code_size_});
  const Status sealed = pages.value().MakeReadOnly();
  if (!sealed) return sealed.error();
  return BuiltTable{table, rows_.size(), rules_.size(), bytes, std::move(pages).value()};
}

}  // namespace jprof
