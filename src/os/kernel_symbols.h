// KernelSymbols holds the names of the kernel's functions by address, from /proc/kallsyms. That
// file has some megabytes. So users of KernelSymbols call Read only when they need the first name,
// and again when modules have been loaded or unloaded.
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
  // Fails if the kernel hides addresses from this process (kernel.kptr_restrict): the file then
  // shows all addresses as 0. Reads only the first lines.
  static Status CheckIsAllowed();

  static Result<KernelSymbols> Read();

  // Returns the names and addresses of the loaded modules, as a text that changes whenever a module
  // is loaded, unloaded or moved. The text is empty if the kernel has no modules, or does not list
  // them.
  static std::string LoadedModules();
  // Returns the names and addresses in `lines`, which are as in /proc/modules: name, size, number
  // of users, names of the users, state, address.
  static std::string ModulesIn(const std::string& lines);

  // Parses `lines`, which are as in /proc/kallsyms: address, type, name and, for some symbols, a
  // module.
  explicit KernelSymbols(const std::string& lines);

  // Returns the last function whose start is at or before `address`.
  KernelSymbol Of(uint64_t address) const;

 private:
  struct KernelSymbolRow {
    uint64_t address;
    uint32_t begin;  // offset of the name in texts_; the module's name follows
    uint16_t name_size;
    uint16_t module_size;  // 0: no module
  };

  std::vector<KernelSymbolRow> rows_;  // sorted by address
  std::string texts_;
};

}  // namespace jprof
