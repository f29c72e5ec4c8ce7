// Copies facts about the loaded objects into memory of the caller.
//
// Thread-safe; not for signal handlers. Nothing here allocates. The caller (os/loaded_objects.h)
// provides the memory before the walk, and repeats the copy if the memory was too small.
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace jprof {

inline constexpr char kHexDigits[] = "0123456789abcdef";

// The numbers of objects that the dynamic linker has loaded and unloaded so far. While both numbers
// stay the same, so do the loaded objects.
struct LoadCounts {
  uint64_t loads = 0;
  uint64_t unloads = 0;

  friend bool operator==(const LoadCounts&, const LoadCounts&) = default;
};

LoadCounts ReadLoadCounts();

// A range of elements in one of the arrays of ObjectMemory.
struct MemoryPart {
  size_t begin;
  size_t size;
};

struct ObjectRecord {
  uint64_t load_bias;
  MemoryPart headers;
  MemoryPart path;      // part of `text`
  MemoryPart build_id;  // part of `text`, as bytes; empty if there is none
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

// Copies the facts about all objects, in the order of dl_iterate_phdr, and returns the sizes that
// the arrays of `memory` need. The copy is complete if no array is smaller than its returned size.
ObjectSizes CopyObjects(const ObjectMemory& memory);

// Identifies an object about which facts were copied earlier.
struct ObjectIdentity {
  uint64_t base;              // lowest address of the object's segments
  uint64_t top;               // first address above the segments
  std::string_view build_id;  // hexadecimal digits
};

// Copies memory of the object, from the address `from`, into `to`. The object cannot be unloaded
// during the copy. Returns the length of the readable prefix; nullopt if the object is no longer
// loaded.
std::optional<size_t> CopyWhileLoaded(const ObjectIdentity& object, uint64_t from,
                                      std::span<uint8_t> to);

// Returns the bytes of the build id, which are part of `notes`; empty if there is no build id.
// `notes` is the content of one PT_NOTE segment or SHT_NOTE section of an ELF file, and need not be
// well-formed.
std::string_view FindBuildIdNote(std::string_view notes);

// Returns the bytes of the object's build id, which lie in the object's memory; empty if the object
// has no build id. REQUIRES: the object stays loaded during the call and the use of the bytes.
std::string_view ReadBuildId(const dl_phdr_info& object);

// Copies memory from the address `from` into `to`, and returns the length of the readable prefix.
// If a mapped file was truncated, the pages beyond its end are unreadable. On a system that forbids
// safe loads (sigsafe/os/safe_load.h), uses plain loads. REQUIRES: the object that contains the
// memory stays loaded.
size_t CopyLoaded(uint64_t from, std::span<uint8_t> to);

}  // namespace jprof
