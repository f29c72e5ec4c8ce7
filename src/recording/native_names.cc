#include "recording/native_names.h"

#include <set>
#include <utility>

#include "base/log.h"
#include "base/memory_reserve.h"
#include "base/modified_utf8.h"
#include "base/placeholders.h"
#include "elf/symbol_table.h"
#include "os/loaded_objects.h"

namespace jprof {
namespace {

constexpr char kNoLibrary[] = "generated code";

std::string UnknownSymbol() { return std::string(Text(Placeholder::kUnknownSymbol)); }

// "[vdso]": a name that begins with a bracket would be taken for an array's.
std::string WithoutBrackets(const std::string& name) {
  const bool has_both = name.size() > 2 && name.front() == '[' && name.back() == ']';
  return has_both ? name.substr(1, name.size() - 2) : name;
}

// Paths and symbols are the file system's and the linker's bytes; a recording holds UTF-8.
std::string FileName(const std::string& path) {
  return WithoutBrackets(Utf8FromModifiedUtf8(path.substr(path.rfind('/') + 1)));
}

}  // namespace

NativeNames::NativeNames(const StubNames& stubs) : stubs_(stubs), loaded_(std::vector<Library>()) {
  TakeSnapshot();
}

void NativeNames::TakeSnapshot() {
  snapshot_loads_ = ReadLoadCounts().loads;
  loaded_ = LibraryMap::Snapshot();
  for (const Library& library : loaded_.libraries()) {
    if (seen_.emplace(KeyOf(library), library).second) {
      new_.push_back(library);
    }
  }
}

const Library* NativeNames::FindLibrary(Pc pc) {
  if (ReadLoadCounts().loads != snapshot_loads_) TakeSnapshot();
  const Library* found = loaded_.Find(pc);
  return found == nullptr ? nullptr : &seen_.at(KeyOf(*found));
}

void NativeNames::Note(Pc pc) {
  if (names_.Find(Value(pc)) != nullptr) return;
  const Library* library = FindLibrary(pc);
  if (library == nullptr) {
    const std::string stub = stubs_.Of(Value(pc));
    names_.Set(Value(pc),
               {kNoLibrary, stub.empty() ? UnknownSymbol() : Utf8FromModifiedUtf8(stub)});
    return;
  }
  names_.Set(Value(pc), {FileName(library->path), UnknownSymbol()});
  unresolved_[library].push_back(Value(pc));
}

void NativeNames::Resolve() {
  for (const auto& [library, pcs] : std::exchange(unresolved_, {})) {
    if (MemoryIsShort()) return;
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
      if (!symbol.empty()) names_.Find(pcs[i])->symbol = Utf8FromModifiedUtf8(symbol);
    }
  }
}

const NativeName& NativeNames::OfKernel(Pc pc) {
  if (!kernel_) {
    Result<KernelSymbols> symbols = KernelSymbols::Read();
    if (!symbols) Log::Warn("no names of kernel frames: %s", symbols.error().message().c_str());
    kernel_ = symbols ? std::move(symbols).value() : KernelSymbols("");
  }
  if (const NativeName* known = kernel_names_.Find(Value(pc))) return *known;
  KernelSymbol symbol = kernel_->Of(Value(pc));
  return kernel_names_.Set(Value(pc), {WithoutBrackets(symbol.module), std::move(symbol.name)});
}

void NativeNames::BeginChunk() {
  JPROF_CHECK(unresolved_.empty());
  names_.BeginGeneration();
  kernel_names_.BeginGeneration();
  std::set<LibraryKey> loaded;
  for (const Library& library : loaded_.libraries()) loaded.insert(KeyOf(library));
  std::erase_if(seen_, [&](const auto& entry) { return loaded.count(entry.first) == 0; });
}

std::vector<Library> NativeNames::TakeNewLibraries() { return std::exchange(new_, {}); }

}  // namespace jprof
