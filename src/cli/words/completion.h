// CompletionText: the completion script of a shell for jprof, from the tables.
//
// Thread-safe: no state.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace jprof {

// Of "bash", "zsh" or "fish".
std::optional<std::string> CompletionText(std::string_view shell);

}  // namespace jprof
