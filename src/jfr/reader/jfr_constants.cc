#include "jfr/reader/jfr_constants.h"

#include <algorithm>

#include "jfr/reader/jfr_string.h"

namespace jprof::profile {

bool JfrConstants::Add(RecordingFile& file, int64_t offset, size_t size, const JfrSchema& schema,
                       JfrIntegers integers) {
  const size_t begin = bytes_.size();
  if (size > kMaxBytes - begin) return false;
  integers_ = integers;
  pools_.resize(schema.types().size());
  file.AppendTo(bytes_, offset, size);
  return Index(begin, schema);
}

bool JfrConstants::Index(size_t begin, const JfrSchema& schema) {
  ByteCursor cursor(std::span<const uint8_t>(bytes_).subspan(begin), integers_);
  cursor.Int();   // size
  cursor.Long();  // type
  cursor.Long();  // start
  cursor.Long();  // duration
  cursor.Long();  // distance to the previous checkpoint
  cursor.Byte();  // flags
  const uint64_t pools = cursor.Count();
  for (uint64_t i = 0; i < pools && !cursor.failed(); ++i) {
    const RecordedType* type = schema.WithId(cursor.Long());
    const uint64_t count = cursor.Count();
    // If the layout of a type is not known, its values cannot be skipped, so the rest cannot be
    // read.
    if (type == nullptr || !type->is_readable) return count == 0 && i + 1 == pools;
    std::vector<KeyedConstant>& entries = pools_[schema.IndexOf(*type)].entries;
    for (uint64_t k = 0; k < count; ++k) {
      const uint64_t key = cursor.Long();
      const auto at = static_cast<uint32_t>(cursor.at() - bytes_.data());
      if (type->primitive == JfrPrimitive::kString) {
        SkipJfrString(cursor);
      } else {
        schema.SkipFields(cursor, *type);
      }
      if (cursor.failed() || count_ == kMaxCount) return false;
      entries.push_back({key, at});
      ++count_;
    }
  }
  return !cursor.failed();
}

void JfrConstants::Seal() {
  for (Pool& pool : pools_) pool.Seal();
}

void JfrConstants::Pool::Seal() {
  if (entries.empty()) return;
  constexpr uint64_t kSpread = 4;  // the maximum number of slots per constant in a direct table
  const auto [first, last] = std::minmax_element(
      entries.begin(), entries.end(),
      [](const KeyedConstant& a, const KeyedConstant& b) { return a.key < b.key; });
  lowest = first->key;
  const uint64_t distance = last->key - lowest;
  const bool is_close = distance < kSpread * entries.size();
  if (is_close) by_distance.resize(distance + 1);
  for (size_t i = 0; i < entries.size(); ++i) {
    const uint64_t key = entries[i].key;
    uint32_t& number = is_close ? by_distance[key - lowest] : by_hash.At(key);
    if (number == 0) number = static_cast<uint32_t>(i + 1);
  }
}

uint32_t JfrConstants::Pool::NumberOf(uint64_t key) const {
  if (by_distance.empty()) return by_hash.Find(key);
  const uint64_t distance = key - lowest;  // a large number if `key` is below `lowest`
  return distance < by_distance.size() ? by_distance[distance] : 0;
}

std::optional<ByteCursor> JfrConstants::Find(uint32_t type, uint64_t key) const {
  const uint32_t number = NumberOf(type, key);
  if (number == 0) return std::nullopt;
  return ByteCursor(std::span<const uint8_t>(bytes_).subspan(pools_[type].entries[number - 1].at),
                    integers_);
}

}  // namespace jprof::profile
