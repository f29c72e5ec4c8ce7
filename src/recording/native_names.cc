#include "recording/native_names.h"

#include <utility>

#include "base/log.h"
#include "base/modified_utf8.h"
#include "elf/symbol_table.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

constexpr char kUnknownSymbol[] = "[unknown]";
constexpr char kNoLibrary[] = "[generated code]";

// Addresses outside all libraries are mostly code that the JVM generated: no reason to ask the
// dynamic linker each time.
constexpr Nanos kSnapshotInterval = kNanosPerSecond;

// Paths and symbols are the file system's and the linker's bytes; a recording holds UTF-8.
std::string FileName(const std::string& path) {
  return Utf8FromModifiedUtf8(path.substr(path.rfind('/') + 1));
}

}  // namespace

NativeNames::NativeNames() : loaded_(std::vector<Library>()) { TakeSnapshot(); }

void NativeNames::TakeSnapshot() {
  loaded_ = LibraryMap::Snapshot();
  snapshot_ns_ = MonotonicNanos();
  for (const Library& library : loaded_.libraries()) {
    if (seen_.emplace(std::pair(library.path, library.base), library).second) {
      new_.push_back(library);
    }
  }
}

const Library* NativeNames::FindLibrary(Pc pc) {
  const Library* found = loaded_.Find(pc);
  if (found == nullptr && MonotonicNanos() - snapshot_ns_ > kSnapshotInterval) {
    TakeSnapshot();
    found = loaded_.Find(pc);
  }
  return found == nullptr ? nullptr : &seen_.at({found->path, found->base});
}

void NativeNames::Note(Pc pc) {
  const auto [entry, is_new] = names_.try_emplace(Value(pc));
  if (!is_new) return;
  const Library* library = FindLibrary(pc);
  if (library == nullptr) {
    entry->second = {kNoLibrary, kUnknownSymbol};
    return;
  }
  entry->second = {FileName(library->path), kUnknownSymbol};
  unresolved_[library].push_back(Value(pc));
}

void NativeNames::Resolve() {
  for (const auto& [library, pcs] : std::exchange(unresolved_, {})) {
    std::vector<uint64_t> addresses;
    addresses.reserve(pcs.size());
    for (const uint64_t pc : pcs) addresses.push_back(pc - library->load_bias);
    const Result<std::vector<ResolvedSymbol>> symbols = ResolveSymbols(*library, addresses);
    if (!symbols) {
      Log::Debug("no symbols of %s: %s", library->path.c_str(), symbols.error().message().c_str());
      continue;
    }
    for (size_t i = 0; i < pcs.size(); ++i) {
      const std::string& symbol = symbols.value()[i].name;
      if (!symbol.empty()) names_.at(pcs[i]).symbol = Utf8FromModifiedUtf8(symbol);
    }
  }
}

std::vector<Library> NativeNames::TakeNewLibraries() { return std::exchange(new_, {}); }

}  // namespace jprof
