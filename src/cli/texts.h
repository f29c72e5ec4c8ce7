// The texts about jprof that are generated from its tables: manual page, completions, docs/cli.md.
//
// Thread-safe: no state.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace jprof {

std::string ManPage();

// Of "bash", "zsh" or "fish".
std::optional<std::string> CompletionText(std::string_view shell);

std::string CliMarkdown();

}  // namespace jprof
