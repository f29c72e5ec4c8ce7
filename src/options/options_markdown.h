// OptionsMarkdown: the content of docs/options.md, generated from the option table.
//
// The tool that writes and checks the file calls it, never the agent. Thread-safe: no state.
#pragma once

#include <string>

namespace jprof {

std::string OptionsMarkdown();

}  // namespace jprof
