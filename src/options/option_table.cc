#include "options/option_table.h"

#include <iterator>

namespace jprof {

std::string FormOf(const OptionRow& row) {
  const std::string value = "=" + std::string(row.value);
  return std::string(row.name) + (row.bare == Bare::kMayBeBare ? "[" + value + "]" : value);
}

std::vector<OptionValueRow> ValuesOf(std::string_view kind) {
  std::vector<OptionValueRow> values;
  std::ranges::copy_if(kOptionValues, std::back_inserter(values),
                       [kind](const OptionValueRow& row) { return row.kind == kind; });
  return values;
}

}  // namespace jprof
