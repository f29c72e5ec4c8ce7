#include "session/options/option_table.h"

namespace jprof {

std::string FormOf(const OptionRow& row) {
  const std::string value = "=" + std::string(row.value);
  return std::string(row.name) + (row.bare == Bare::kMayBeBare ? "[" + value + "]" : value);
}

}  // namespace jprof
