// OptionsMarkdown: the content of docs/options.md, generated from the option table.
//
// Called by the tool that writes and checks the file, never by the agent. Thread-safe: no state.
#pragma once

#include <string>

namespace jprof {

std::string OptionsMarkdown();

}  // namespace jprof
