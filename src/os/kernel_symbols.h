// KernelSymbols: names of the kernel's functions by address, from /proc/kallsyms. Some megabytes of
// text: read when the first name is needed, and again when modules have come or gone.
//
// Not for handlers. Thread-safe once constructed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace jprof {

struct KernelSymbol {
  std::string module;  // "[kernel]", or "[name]" of a module
  std::string name;    // "[unknown]" below the first symbol
};

class KernelSymbols {
 public:
  // Whether the kernel shows addresses to this process: without permission they read as 0
  // (kernel.kptr_restrict). Reads the first lines.
  static Status CheckIsAllowed();

  static Result<KernelSymbols> Read();

  // The modules that are loaded now and their addresses, as a text to be compared; empty where the
  // kernel has none, or does not list them.
  static std::string LoadedModules();
  // Of lines as in /proc/modules: name, size, users, their names, state, address.
  static std::string ModulesIn(const std::string& lines);

  // Lines as in /proc/kallsyms: address, type, name, perhaps a module.
  explicit KernelSymbols(const std::string& lines);

  KernelSymbol Of(uint64_t address) const;

 private:
  struct KernelSymbolRow {
    uint64_t address;
    uint32_t begin;  // in texts_: the name, followed by the module
    uint16_t name_size;
    uint16_t module_size;  // 0: none
  };

  std::vector<KernelSymbolRow> rows_;  // by address
  std::string texts_;
};

}  // namespace jprof
