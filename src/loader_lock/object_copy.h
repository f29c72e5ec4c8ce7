// Copies of facts about the loaded objects, into memory of the caller.
//
// Thread-safe; not for signal handlers. Nothing here allocates: os/loaded_objects.h provides the
// memory, outside of the walk, and repeats the copy if the memory was too small.
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace jprof {

// The numbers of objects that the dynamic linker has loaded and unloaded so far. While both numbers
// stay the same, so do the loaded objects.
struct LoadCounts {
  uint64_t loads = 0;
  uint64_t unloads = 0;

  friend bool operator==(const LoadCounts&, const LoadCounts&) = default;
};

LoadCounts ReadLoadCounts();

// A part of one of the arrays of ObjectMemory.
struct MemoryPart {
  size_t begin;
  size_t size;
};

struct ObjectRecord {
  uint64_t load_bias;
  MemoryPart headers;
  MemoryPart path;      // part of `text`
  MemoryPart build_id;  // part of `text`, as bytes; empty: none
};

struct ObjectMemory {
  std::span<ObjectRecord> objects;
  std::span<ElfW(Phdr)> headers;
  std::span<char> text;
};

struct ObjectSizes {
  LoadCounts counts;  // counts at the time of the copy
  size_t objects = 0;
  size_t headers = 0;
  size_t text = 0;
};

// Copies all objects, in the order of dl_iterate_phdr, and returns the sizes that they need. The
// copy is complete if no array of `memory` is smaller than its size there.
ObjectSizes CopyObjects(const ObjectMemory& memory);

// Identifies an object after it has been copied.
struct ObjectIdentity {
  uint64_t base;              // lowest address of the object's segments
  uint64_t top;               // just above their highest address
  std::string_view build_id;  // hexadecimal digits
};

// Copies memory of the object into `to` while the object is guaranteed to stay loaded, and returns
// the length of the readable prefix; nullopt if the object is no longer loaded.
std::optional<size_t> CopyWhileLoaded(const ObjectIdentity& object, uint64_t from,
                                      std::span<uint8_t> to);

// Returns the bytes of the object's build id, in its memory; empty if it has none.
// REQUIRES: the object stays loaded during the call and the use of the bytes.
std::string_view ReadBuildId(const dl_phdr_info& object);

// Copies memory of an object that stays loaded, and returns the length of the readable prefix. The
// pages of a file that was truncated are unreadable. On a system that forbids safe loads, plain
// loads are used.
size_t CopyLoaded(uint64_t from, std::span<uint8_t> to);

}  // namespace jprof
