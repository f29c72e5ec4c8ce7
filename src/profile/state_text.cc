#include "profile/state_text.h"

namespace jprof::profile {

std::string StateText(std::string_view jfr_name) {
  static constexpr std::string_view kPrefix = "STATE_";
  if (jfr_name == "STATE_DEFAULT") return "running";
  if (jfr_name.starts_with(kPrefix)) jfr_name.remove_prefix(kPrefix.size());
  std::string text(jfr_name);
  for (char& c : text) {
    if (c == '_') c = '-';
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

}  // namespace jprof::profile
