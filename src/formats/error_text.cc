#include "formats/error_text.h"

#include <cmath>
#include <cstdio>

namespace jprof {

std::string ErrorText(double estimate, double variance) {
  if (std::isnan(variance) || estimate <= 0) return {};
  const double percent = 100 * std::sqrt(variance) / estimate;
  const int decimals = percent == 0 || percent >= 9.95 ? 0 : percent >= 0.995 ? 1 : 2;
  char text[400];
  std::snprintf(text, sizeof text, "\xC2\xB1 %.*f %%", decimals, percent);
  return text;
}

}  // namespace jprof
