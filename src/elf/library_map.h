// LibraryMap: a snapshot of the ELF objects loaded in this process, searchable by pc.
//
// Taken outside handlers, on any thread: Snapshot takes the dynamic linker's lock and allocates. A
// snapshot is immutable and may be read by any number of threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "os/loaded_objects.h"
#include "sigsafe/base/types.h"

namespace jprof {

inline constexpr char kVdsoPath[] = "[vdso]";

struct AddressRange {
  uint64_t begin;
  uint64_t end;  // exclusive

  friend bool operator==(const AddressRange&, const AddressRange&) = default;
};

struct Library {
  std::string path;  // of the executable: the target of /proc/self/exe; of the vDSO: kVdsoPath
  uint64_t load_bias = 0;  // pc - load_bias is an address in terms of the file's symbols
  uint64_t base = 0;       // lowest address of its segments
  uint64_t top = 0;        // just above the highest address
  std::vector<AddressRange> executable;
  AddressRange frame_header = {0, 0};   // .eh_frame_hdr; {0, 0}: none
  AddressRange frame_segment = {0, 0};  // the loaded segment around it
  AddressRange dynamic = {0, 0};        // the dynamic section; {0, 0}: none
  std::string build_id;                 // hexadecimal; empty: none

  friend bool operator==(const Library&, const Library&) = default;
};

class LibraryMap {
 public:
  // The objects that dl_iterate_phdr lists, the vDSO included.
  static LibraryMap Snapshot() { return Of(LoadedObjects()); }

  // Those of a copy, and the vDSO.
  static LibraryMap Of(std::vector<ObjectCopy> objects);

  // Copies the readable prefix of `range` while `library` is guaranteed to stay loaded; returns
  // false if it has been unloaded.
  static bool CopyWhileLoaded(const Library& library, const AddressRange& range,
                              std::vector<uint8_t>* bytes);

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
