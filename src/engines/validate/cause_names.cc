#include "engines/validate/cause_names.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "elf/library_map.h"
#include "elf/symbol_table.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

std::string FileNameOf(const Library& library) {
  return library.path.substr(library.path.rfind('/') + 1);
}

}  // namespace

void CauseNames::Resolve(const std::vector<uint64_t>& pcs) {
  const bool is_all_known =
      std::ranges::all_of(pcs, [this](uint64_t pc) { return names_.contains(pc); });
  if (is_all_known) return;
  std::map<const Library*, std::vector<uint64_t>> of_libraries;
  const LibraryMap libraries = LibraryMap::Snapshot();
  for (const uint64_t pc : pcs) {
    const auto [name, is_new] = names_.try_emplace(pc);
    if (!is_new) continue;
    name->second = stubs_.Find(pc, MonotonicNanos()).name;
    const Library* const library = libraries.Find(Pc{pc});
    if (library != nullptr) of_libraries[library].push_back(pc);
  }
  for (const auto& [library, addresses] : of_libraries) {
    std::vector<uint64_t> in_file;
    for (const uint64_t pc : addresses) in_file.push_back(pc - library->load_bias);
    const Result<std::vector<ResolvedSymbol>> symbols = ResolveSymbols(*library, in_file);
    for (size_t i = 0; i < addresses.size(); ++i) {
      const std::string symbol = symbols ? symbols.value()[i].name : "";
      const std::string file = FileNameOf(*library);
      names_[addresses[i]] = symbol.empty() ? file : symbol + " (" + file + ")";
    }
  }
}

std::string CauseNames::Of(const Cause& cause) const {
  if (cause.pc == 0) return cause.name;
  const auto found = names_.find(cause.pc);
  if (found != names_.end() && !found->second.empty()) return found->second;
  return cause.name.empty() ? "unknown code" : cause.name;
}

}  // namespace jprof
