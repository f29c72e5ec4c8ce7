#include "jvm/method_info.h"

#include <algorithm>
#include <iterator>

namespace jprof {

int32_t MethodInfo::LineAt(int32_t bci) const {
  const auto after =
      std::upper_bound(lines.begin(), lines.end(), bci,
                       [](int32_t at, const Line& line) { return at < line.first_bci; });
  return bci < 0 || after == lines.begin() ? kUnknownLine : std::prev(after)->number;
}

}  // namespace jprof
