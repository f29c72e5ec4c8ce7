#include "base/perf_counters.h"

#include <cstring>

namespace jprof {
namespace {

// The layout of PerfDataPrologue and PerfDataEntry (OpenJDK jdk-25+36 and jdk-17+35,
// src/hotspot/share/runtime/perfMemory.hpp).
constexpr unsigned char kMagic[] = {0xca, 0xfe, 0xc0, 0xc0};
constexpr unsigned char kLittleEndian = 1;
constexpr unsigned char kMajorVersion = 2;
constexpr size_t kPrologueSize = 32;
constexpr size_t kUsedOffset = 8;
constexpr size_t kFirstEntryOffset = 24;
constexpr size_t kEntryCountOffset = 28;
constexpr size_t kEntrySize = 20;

template <typename T>
T Load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

bool IsKnownForm(const char* start) {
  return std::memcmp(start, kMagic, sizeof kMagic) == 0 &&
         static_cast<unsigned char>(start[4]) == kLittleEndian &&
         static_cast<unsigned char>(start[5]) == kMajorVersion;
}

// True if the value ends within the `rest` bytes of its entry.
bool IsWhole(bool is_text, const char* data, size_t rest) {
  return is_text ? strnlen(data, rest) < rest : rest >= sizeof(int64_t);
}

}  // namespace

PerfCounters PerfCounters::Open(char* const* memory) {
  if (memory == nullptr || *memory == nullptr || !IsKnownForm(*memory)) return {};
  const auto used = Load<int32_t>(*memory + kUsedOffset);
  return used > 0 ? Parse(*memory, static_cast<size_t>(used)) : PerfCounters();
}

PerfCounters PerfCounters::Parse(const char* start, size_t bytes) {
  PerfCounters found;
  if (bytes < kPrologueSize || !IsKnownForm(start)) return found;
  auto at = static_cast<size_t>(Load<int32_t>(start + kFirstEntryOffset));
  for (int32_t left = Load<int32_t>(start + kEntryCountOffset); left > 0; --left) {
    if (at > bytes || bytes - at < kEntrySize) break;
    const char* entry = start + at;
    const auto length = static_cast<size_t>(Load<int32_t>(entry));
    const auto name = static_cast<size_t>(Load<int32_t>(entry + 4));
    const int32_t vector_length = Load<int32_t>(entry + 8);
    const auto data = static_cast<size_t>(Load<int32_t>(entry + 16));
    if (length < kEntrySize || length > bytes - at || name >= length || data >= length) break;
    const bool is_text = entry[12] == 'B' && vector_length > 0;
    at += length;
    if (!IsWhole(is_text, entry + data, length - data)) continue;
    found.counters_.push_back(
        {std::string(entry + name, strnlen(entry + name, length - name)), is_text, entry + data});
  }
  return found;
}

const PerfCounters::Counter* PerfCounters::Find(std::string_view name) const {
  for (const Counter& counter : counters_) {
    if (counter.name == name) return &counter;
  }
  return nullptr;
}

const int64_t* PerfCounters::Number(std::string_view name) const {
  const Counter* counter = Find(name);
  if (counter == nullptr || counter->is_text) return nullptr;
  return reinterpret_cast<const int64_t*>(counter->data);
}

const char* PerfCounters::Text(std::string_view name) const {
  const Counter* counter = Find(name);
  return counter == nullptr || !counter->is_text ? nullptr : counter->data;
}

}  // namespace jprof
