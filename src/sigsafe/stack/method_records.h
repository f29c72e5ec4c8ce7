// MethodRecords: the names of the methods in the stacks of an epoch, copied from the VM's memory.
//
// The handler that stores a stack adds the methods of the stack first. The methods are on the stack
// at that time, so the VM can free neither them nor their classes: each name is the right one,
// whatever is unloaded or redefined afterwards. The copy of a method takes about half a
// microsecond, and is made once in an epoch, unless two threads make it at the same time.
//
// Add is async-signal-safe, thread-safe and lock-free. Find is thread-safe. The records are in the
// arena of the table of stacks (call_trace_hash_table.h), and live as long as its epoch. A chain of
// records only grows at its head, and a record never changes once it is published.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "sigsafe/hotspot/hotspot_layout.h"
#include "sigsafe/memory/arena.h"

namespace jprof {

// A class. Its texts follow the record in memory, in modified UTF-8.
struct ClassRecord {
  uint64_t number;  // ClassNumberOf; 0 if the record belongs to one method
  uint32_t next;
  uint32_t modifiers;
  uint16_t name_size;
  uint16_t source_file_size;
  uint16_t loader_class_size;
  uint16_t loader_name_size;
  bool has_loader;

  std::string_view name() const { return {Bytes(), name_size}; }
  std::string_view source_file() const { return {Bytes() + name_size, source_file_size}; }
  std::string_view loader_class() const {
    return {Bytes() + name_size + source_file_size, loader_class_size};
  }
  std::string_view loader_name() const {
    return {Bytes() + name_size + source_file_size + loader_class_size, loader_name_size};
  }

 private:
  const char* Bytes() const { return reinterpret_cast<const char*>(this + 1); }
};

// A method. Its texts follow the record in memory.
struct MethodRecord {
  uint64_t id;
  uint64_t address;  // of the Method when the record was made; the VM might have freed it since
  const ClassRecord* declaring;  // nullptr if the names could not be read
  uint32_t next;
  uint32_t modifiers;
  uint32_t lines_size;
  uint16_t name_size;
  uint16_t descriptor_size;

  std::string_view name() const { return {Bytes(), name_size}; }
  std::string_view descriptor() const { return {Bytes() + name_size, descriptor_size}; }
  // Returns the VM's compressed table of lines (jvm/line_table.h).
  std::string_view lines() const { return {Bytes() + name_size + descriptor_size, lines_size}; }

 private:
  const char* Bytes() const { return reinterpret_cast<const char*>(this + 1); }
};

class MethodRecords {
 public:
  // Removes all records. REQUIRES: no handler can reach the object.
  void Clear();

  // Adds the method `id`, whose Method is at the address `method`, unless its names are there
  // already. If its names cannot be read, the record says so. Returns false if the arena is full.
  // REQUIRES: the faults of guarded loads are caught.
  [[nodiscard]] bool Add(const HotspotLayout& vm, uint64_t method, uint64_t id, Arena& arena);

  // Returns the latest record of the method; nullptr if it has not been added.
  const MethodRecord* Find(uint64_t id, const Arena& arena) const;

  // Returns the latest record of the class with the number; nullptr if there is none. REQUIRES:
  // number != 0.
  const ClassRecord* FindClass(uint64_t number, const Arena& arena) const;

  // Calls visit(record) for each record of a method, in no particular order. A method can have
  // several records.
  template <typename Visit>
  void ForEach(const Arena& arena, Visit&& visit) const {
    for (const Head& head : methods_) {
      uint32_t place = head.load(std::memory_order_acquire);
      while (place != 0) {
        const auto* const record = static_cast<const MethodRecord*>(arena.At(place - 1));
        if (record == nullptr) break;
        visit(*record);
        place = record->next;
      }
    }
  }

 private:
  static constexpr size_t kMethodChains = 8192;
  static constexpr size_t kClassChains = 2048;
  using Head = std::atomic<uint32_t>;  // place in the arena + 1; 0: empty

  const ClassRecord* AddClass(const HotspotLayout& vm, const struct JavaMethod& method,
                              Arena& arena);

  std::array<Head, kMethodChains> methods_{};
  std::array<Head, kClassChains> classes_{};
};

}  // namespace jprof
