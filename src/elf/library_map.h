// LibraryMap: the ELF objects loaded in this process at one moment, and which of them holds a pc.
//
// Taken outside handlers, on any thread: it takes the dynamic linker's lock and allocates. A
// snapshot is immutable and may be read by any number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sigsafe/base/types.h"

namespace jprof {

inline constexpr char kVdsoPath[] = "[vdso]";

struct AddressRange {
  uint64_t begin;
  uint64_t end;  // exclusive

  friend bool operator==(const AddressRange&, const AddressRange&) = default;
};

struct Library {
  std::string path;        // the executable by what /proc/self/exe names, the vDSO as kVdsoPath
  uint64_t load_bias = 0;  // a pc minus this is an address as the file's symbols have them
  uint64_t base = 0;       // lowest address of its segments
  uint64_t top = 0;        // just above the highest
  std::vector<AddressRange> executable;
  AddressRange frame_header = {0, 0};   // .eh_frame_hdr; {0, 0} if it has none
  AddressRange frame_segment = {0, 0};  // the loaded segment around it
  std::string build_id;                 // hexadecimal; empty if it has none

  friend bool operator==(const Library&, const Library&) = default;
};

class LibraryMap {
 public:
  // What dl_iterate_phdr shows, the vDSO included.
  static LibraryMap Snapshot();

  // Objects that the dynamic linker has loaded and unloaded so far: as long as both stay the same,
  // so does the map.
  struct Generation {
    uint64_t loads = 0;
    uint64_t unloads = 0;

    friend bool operator==(const Generation&, const Generation&) = default;
  };
  static Generation CurrentGeneration();

  // Calls visit() while `library` is sure to stay loaded; false if it is no longer there. `visit`
  // must not call the dynamic linker.
  static bool WhileLoaded(const Library& library, const std::function<void()>& visit);

  explicit LibraryMap(std::vector<Library> libraries);

  // The library with `pc` in an executable segment; nullptr for generated code and other memory.
  // Valid as long as the map.
  const Library* Find(Pc pc) const;

  // In the order of loading, the executable first.
  const std::vector<Library>& libraries() const { return libraries_; }

 private:
  struct Segment {
    AddressRange range;
    size_t library;
  };

  std::vector<Library> libraries_;
  std::vector<Segment> segments_;  // executable ones, ascending
};

}  // namespace jprof
