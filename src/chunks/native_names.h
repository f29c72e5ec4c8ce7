// NativeNames: the library and symbol of code addresses in samples, as they were at the time of the
// sample.
//
// Note stores the library of an address at a time; Resolve reads symbols in one batch per library,
// from the file that was kept when the library was first seen. An address has a name for each code
// that was there: a library can be unloaded, and another one loaded at its place. Bounded:
// addresses that occur in no stack of this chunk or the previous one are dropped.
//
// Runs on the recorder's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/recently_used.h"
#include "jvm/stub_names.h"
#include "libraries/library_history.h"
#include "os/kernel_symbols.h"
#include "sigsafe/base/check.h"
#include "sigsafe/base/types.h"

namespace jprof {

struct NativeName {
  // The file name without folders; "generated code" outside all libraries, "unloaded library",
  // "vdso", "kernel" or the name of its module. Never starts with '[', which JMC parses as an array
  // class.
  std::string library;
  std::string symbol;  // demangled; "[unknown]"
};

class NativeNames {
 public:
  // REQUIRES: `stubs` outlives this.
  explicit NativeNames(const StubNames& stubs) : stubs_(stubs) {}

  // Learns which libraries were loaded and unloaded, and keeps the files of new ones. Looks up the
  // noted addresses in unloaded libraries. Called at each drain.
  void LookAtLibraries();

  // Stores the library of `pc` at `time_ns` (CLOCK_MONOTONIC, in the past). Called when `pc` is
  // first seen in an era.
  void Note(Pc pc, Nanos time_ns);

  // Returns the era of a time. If two times have the same era, every address has the same code at
  // both.
  uint64_t EraAt(Nanos time_ns);

  // True if the address has the same code at both times.
  bool IsSame(Pc pc, Nanos one_ns, Nanos other_ns);

  // Looks up the symbols of all addresses noted so far.
  void Resolve();

  // Returns the name of `pc` at `time_ns`. No two names have the same address in memory within a
  // chunk. REQUIRES: `pc` was noted in this chunk for the code of that time, and resolved
  // afterwards.
  const NativeName& Of(Pc pc, Nanos time_ns);

  // True if some address has had several names.
  bool has_reused_addresses() const { return has_reused_addresses_; }

  // Returns the name of an address in the kernel, without Note. The first call reads all names of
  // the kernel; so does the first call in a chunk if modules were loaded or unloaded before the
  // chunk.
  const NativeName& OfKernel(Pc pc);

  // Keeps the names of `pc`, if known: a stored stack still has this frame.
  void Keep(Pc pc) { names_.Find(Value(pc)); }

  // Drops names that were not used since the previous BeginChunk. REQUIRES: all noted addresses
  // have been resolved.
  void BeginChunk();

  // Returns the number of addresses with known names, including the kernel's.
  size_t size() const { return names_.size() + kernel_names_.size(); }

  // Returns the libraries seen since the last call, for jdk.NativeLibrary.
  std::vector<Library> TakeNewLibraries() { return history_.TakeNew(); }

  // Makes all loaded libraries count as new. Called when the next chunk begins another file.
  void BeginFile() { history_.BeginFile(); }

 private:
  // The code at an address: a library (LoadedCode::id), a stub (StubName::id), or neither.
  struct CodeId {
    uint32_t library = 0;
    uint32_t stub = 0;

    friend bool operator==(const CodeId&, const CodeId&) = default;
  };
  struct NameOfCode {
    CodeId code;
    NativeName name;
  };
  struct Unresolved {
    std::shared_ptr<const LoadedCode> code;
    std::vector<std::pair<uint64_t, NativeName*>> names;  // pcs and their names
  };

  void LearnUntil(Nanos time_ns);
  CodeId CodeAt(Pc pc, Nanos time_ns);
  NativeName MakeName(Pc pc, Nanos time_ns, const LoadedCode* code);
  static void Resolve(const Unresolved& unresolved);
  void ForgetOldKernel();

  const StubNames& stubs_;
  LibraryHistory history_;
  bool has_reused_addresses_ = false;
  std::map<uint32_t, Unresolved> unresolved_;            // keyed by LoadedCode::id
  RecentlyUsed<uint64_t, std::list<NameOfCode>> names_;  // keyed by pc; a generation is a chunk
  RecentlyUsed<uint64_t, NativeName> kernel_names_;      // keyed by pc; likewise
  std::optional<KernelSymbols> kernel_;                  // read at the first request
  std::string kernel_modules_;                           // the loaded modules when kernel_ was read
};

}  // namespace jprof
