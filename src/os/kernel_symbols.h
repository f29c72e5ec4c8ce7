// KernelSymbols: names of the kernel's functions by address, as /proc/kallsyms tells them. Some
// megabytes of text: read once, when the first name is wanted.
//
// Not for handlers. Thread-safe once made.
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
  // Whether the kernel tells addresses to this process: to others it says 0
  // (kernel.kptr_restrict). Reads the first lines.
  static Status CheckIsAllowed();

  static Result<KernelSymbols> Read();

  // Lines as in /proc/kallsyms: address, type, name, perhaps a module.
  explicit KernelSymbols(const std::string& lines);

  KernelSymbol Of(uint64_t address) const;

 private:
  struct Row {
    uint64_t address;
    uint32_t begin;  // in texts_: the name, the module behind it
    uint16_t name_size;
    uint16_t module_size;  // 0: none
  };

  std::vector<Row> rows_;  // by address
  std::string texts_;
};

}  // namespace jprof
