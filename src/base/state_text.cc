#include "base/state_text.h"

#include <algorithm>

namespace jprof {
namespace {

constexpr std::string_view kNames[] = {
#define THREAD_STATE(name, key, text) text,
#include "base/thread_states.def"
#undef THREAD_STATE
};

}  // namespace

std::span<const std::string_view> ThreadStateNames() { return kNames; }

std::string StateText(std::string_view jfr_name) {
  static constexpr std::string_view kStatePrefix = "STATE_";
  if (jfr_name == "STATE_DEFAULT") return "running";
  if (jfr_name.starts_with(kStatePrefix)) jfr_name.remove_prefix(kStatePrefix.size());
  std::string text(jfr_name);
  for (char& c : text) {
    if (c == '_') c = '-';
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

std::vector<std::string> ParseStates(std::string_view text) {
  std::vector<std::string> states;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find_first_of("+,", at), text.size());
    std::string state(text.substr(at, end - at));
    std::ranges::transform(state, state.begin(), [](char c) {
      return c >= 'a' && c <= 'z'   ? static_cast<char>(c - 'a' + 'A')
             : c == '-' || c == ' ' ? '_'
                                    : c;
    });
    if (!state.empty()) states.push_back(StateText(state));
    at = end + 1;
  }
  return states;
}

}  // namespace jprof
