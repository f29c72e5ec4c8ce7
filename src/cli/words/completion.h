// CompletionText: the completion script of a shell for jprof, generated from the tables.
//
// Thread-safe: no state.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace jprof {

// Returns the script for "bash", "zsh" or "fish"; nullopt: another shell.
std::optional<std::string> CompletionText(std::string_view shell);

}  // namespace jprof
