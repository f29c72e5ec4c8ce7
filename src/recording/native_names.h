// NativeNames: library and symbol of code addresses found in samples.
//
// The recorder's thread. Note stores the library of an address while the library is loaded, so that
// no name is lost by a later dlclose; Resolve reads symbols in one batch per library. Bounded:
// addresses that occur in no stack of this chunk or the previous one are dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/recently_used.h"
#include "elf/library_map.h"
#include "jvm/stub_names.h"
#include "os/kernel_symbols.h"
#include "sigsafe/base/check.h"
#include "sigsafe/base/types.h"

namespace jprof {

struct NativeName {
  // File name without folders; "generated code" outside all libraries, "vdso", "kernel" or its
  // module. Never begins with '[', which JMC parses as an array class.
  std::string library;
  std::string symbol;  // demangled; "[unknown]"
};

class NativeNames {
 public:
  // REQUIRES: `stubs` outlives this.
  explicit NativeNames(const StubNames& stubs);

  // Called when `pc` is first seen.
  void Note(Pc pc);

  // Looks up everything noted so far.
  void Resolve();

  // REQUIRES: noted in this chunk, and resolved afterwards.
  const NativeName& Of(Pc pc) {
    const NativeName* name = names_.Find(Value(pc));
    JPROF_CHECK(name != nullptr);
    return *name;
  }

  // The name of an address in the kernel; no Note needed. The first call reads all names of the
  // kernel.
  const NativeName& OfKernel(Pc pc);

  // Keeps the name of `pc`, if known: a stored stack still has this frame.
  void Keep(Pc pc) { names_.Find(Value(pc)); }

  // REQUIRES: all noted addresses have been resolved.
  void BeginChunk();

  // The number of addresses with known names, including the kernel's.
  size_t size() const { return names_.size() + kernel_names_.size(); }

  // Libraries seen since the last call, for jdk.NativeLibrary.
  std::vector<Library> TakeNewLibraries();

  // The next chunk begins another file: all loaded libraries count as new.
  void BeginFile() { new_ = loaded_.libraries(); }

 private:
  // Path and base: a library loaded again at another address is another library.
  using LibraryKey = std::pair<std::string, uint64_t>;

  static LibraryKey KeyOf(const Library& library) { return {library.path, library.base}; }
  const Library* FindLibrary(Pc pc);
  void TakeSnapshot();

  const StubNames& stubs_;
  LibraryMap loaded_;
  uint64_t snapshot_loads_ = 0;  // objects loaded by the process before the snapshot
  // Entries stay through the chunk.
  std::map<LibraryKey, Library> seen_;
  std::vector<Library> new_;
  std::map<const Library*, std::vector<uint64_t>> unresolved_;  // pcs
  RecentlyUsed<uint64_t, NativeName> names_;                    // by pc; a generation is a chunk
  RecentlyUsed<uint64_t, NativeName> kernel_names_;             // the same
  std::optional<KernelSymbols> kernel_;                         // read at the first request
};

}  // namespace jprof
