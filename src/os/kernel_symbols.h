// KernelSymbols: the names of the kernel's functions by address, from /proc/kallsyms. This is some
// megabytes of text, so it is read when the first name is needed, and again when modules have been
// loaded or unloaded.
//
// Not for signal handlers. Thread-safe once constructed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace jprof {

struct KernelSymbol {
  std::string module;  // "[kernel]", or "[name]" of a module
  std::string name;    // "[unknown]" for an address below the first symbol
};

class KernelSymbols {
 public:
  // Fails if the kernel hides addresses from this process: they then read as 0
  // (kernel.kptr_restrict). Reads only the first lines.
  static Status CheckIsAllowed();

  static Result<KernelSymbols> Read();

  // Returns a text that differs when a module has been loaded, unloaded or moved: the names and
  // addresses of the loaded modules. Empty if the kernel has no modules, or does not list them.
  static std::string LoadedModules();
  // Returns the same text for lines as in /proc/modules: name, size, number of users, their names,
  // state, address.
  static std::string ModulesIn(const std::string& lines);

  // Parses lines as in /proc/kallsyms: address, type, name and, for some symbols, a module.
  explicit KernelSymbols(const std::string& lines);

  // Returns the function at or before `address`.
  KernelSymbol Of(uint64_t address) const;

 private:
  struct KernelSymbolRow {
    uint64_t address;
    uint32_t begin;  // offset in texts_ of the name; the module's name follows it
    uint16_t name_size;
    uint16_t module_size;  // 0: no module
  };

  std::vector<KernelSymbolRow> rows_;  // sorted by address
  std::string texts_;
};

}  // namespace jprof
