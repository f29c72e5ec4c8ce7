// NativeNames: the library and the symbol that a code address in a sample had at the time of the
// sample.
//
// Note stores which library an address belonged to at a time; Resolve reads symbols in one batch
// per library, from the file that was kept when the library was first seen. An address can have
// several names, one for each library or stub that was at the address, because a library can be
// unloaded and another one loaded in its place. Bounded: an address is dropped if neither this
// chunk nor the previous one has a stack with the address.
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
  // The file name of the library, without folders. Addresses outside library files have the names
  // "generated code", "vdso", "kernel" or the name of a kernel module. A library that is no longer
  // known has the name "unloaded library". Never starts with '[': JMC would parse the name as that
  // of an array class.
  std::string library;
  std::string symbol;  // demangled; "[unknown]" if there is none
};

class NativeNames {
 public:
  // REQUIRES: `stubs` outlives this.
  explicit NativeNames(const StubNames& stubs) : stubs_(stubs) {}

  // Learns which libraries were loaded and unloaded, and keeps the files of new libraries. Reads
  // the symbols of noted addresses in unloaded libraries, and then releases the files of these
  // libraries. Called at each drain.
  void LookAtLibraries();

  // Stores which library `pc` belonged to at `time_ns` (CLOCK_MONOTONIC, not in the future). Called
  // for the addresses of a stack when the stack is first seen, and again if other code might be at
  // the addresses (EraAt).
  void Note(Pc pc, Nanos time_ns);

  // Returns a number, the era of `time_ns`. If two times have the same era, every address had the
  // same code at both times.
  uint64_t EraAt(Nanos time_ns);

  // True if the address has the same code at both times.
  bool IsSame(Pc pc, Nanos one_ns, Nanos other_ns);

  // Looks up the symbols of all addresses noted so far.
  void Resolve();

  // Returns the name of `pc` at `time_ns`. Within a chunk, the name is identified by the pointer to
  // the returned object. REQUIRES: in this chunk, Note was called for `pc` and a time at which the
  // same code was there, and Resolve was called after that.
  const NativeName& Of(Pc pc, Nanos time_ns);

  // True if some address has had several names.
  bool has_reused_addresses() const { return has_reused_addresses_; }

  // Returns the name of an address in the kernel. Note need not be called for such an address. The
  // first call reads all symbols of the kernel. They are read again in a later chunk if kernel
  // modules were loaded or unloaded before the chunk began.
  const NativeName& OfKernel(Pc pc);

  // Keeps the names of `pc`, if it has any, for this chunk. Called for the addresses of stored
  // stacks.
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
  RecentlyUsed<uint64_t, std::list<NameOfCode>> names_;  // keyed by pc; a generation per chunk
  RecentlyUsed<uint64_t, NativeName> kernel_names_;      // keyed by pc; a generation per chunk
  std::optional<KernelSymbols> kernel_;                  // read at the first request
  std::string kernel_modules_;                           // the loaded modules when kernel_ was read
};

}  // namespace jprof
