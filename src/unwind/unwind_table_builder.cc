#include "unwind/unwind_table_builder.h"

#include <algorithm>
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

uint32_t& UnwindTableBuilder::RecentNumber(const UnwindRule& rule) {
  const auto bytes =
      static_cast<uint32_t>(rule.cfa_offset) + static_cast<uint32_t>(rule.saved.offset);
  const auto kinds = static_cast<uint32_t>(rule.frame_pointer.kind) + rule.cfa_register;
  return recent_[(bytes / sizeof(uint64_t) + 32 * kinds) % recent_.size()];
}

uint32_t UnwindTableBuilder::NumberOf(const UnwindRule& rule) {
  uint32_t& recent = RecentNumber(rule);
  if (recent < rules_.size() && rules_[recent] == rule) return recent;
  recent = MakeNumber(rule);
  return recent;
}

uint32_t UnwindTableBuilder::MakeNumber(const UnwindRule& rule) {
  const auto [entry, is_new] = numbers_.try_emplace(rule, static_cast<uint32_t>(rules_.size()));
  if (is_new) rules_.push_back(rule);
  return entry->second;
}

void UnwindTableBuilder::Add(uint64_t offset, const UnwindRule& rule) {
  if (offset > kMaxCode || (offset >= code_size_ && offset != 0)) return;
  if (rules_.size() == UnwindTable::kMaxRules && !numbers_.contains(rule)) return;
  const uint32_t number = NumberOf(rule);
  if (!rows_.empty() && last_offset_ == offset) {
    rows_.back() = UnwindTable::Row(offset, number);
  } else if (rows_.empty() || last_rule_ != number) {
    BeginBlocks((offset >> UnwindTable::kBlockBits) + 1);
    rows_.push_back(UnwindTable::Row(offset, number));
  } else {
    return;
  }
  last_offset_ = static_cast<uint32_t>(offset);
  last_rule_ = number;
}

// Makes the next row the first row of all blocks below `count` that have no first row yet.
void UnwindTableBuilder::BeginBlocks(uint64_t count) {
  while (first_rows_.size() < count) first_rows_.push_back(static_cast<uint32_t>(rows_.size()));
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
  BeginBlocks(blocks + 1);
  std::ranges::copy(first_rows_, first_rows);
  std::ranges::copy(rows_, rows);
  const auto* table = new (start)
      UnwindTable({first_rows, rows, rules, code_size_, static_cast<uint32_t>(rows_.size()),
                   static_cast<uint32_t>(rules_.size())});
  const Status sealed = pages.value().MakeReadOnly();
  if (!sealed) return sealed.error();
  return BuiltTable{table, rows_.size(), rules_.size(), bytes, std::move(pages).value()};
}

}  // namespace jprof
