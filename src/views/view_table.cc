#include "views/view_table.h"

#include <algorithm>
#include <iterator>

#include "views/table_view.h"

namespace jprof {
namespace {

constexpr FormatRow kViews[] = {
#define VIEW(name, kinds, make, help) \
  {name, "", help, FormatKinds::kinds, FormatLines::kIfAsked, FormatContent::kLines, make},
#include "views/views.def"
#undef VIEW
};

}  // namespace

std::span<const FormatRow> Views() { return kViews; }

const FormatRow* FindView(std::string_view name) {
  const auto* const found = std::ranges::find(kViews, name, &FormatRow::name);
  return found == std::end(kViews) ? nullptr : found;
}

std::string ViewNames() {
  std::string names;
  for (const FormatRow& row : kViews) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

}  // namespace jprof
