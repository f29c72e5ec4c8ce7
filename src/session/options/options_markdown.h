// OptionsMarkdown: the file docs/options.md, generated from the option table.
//
// Called by the tool that writes and checks that file, never by the agent. Thread-safe: no state.
#pragma once

#include <string>

namespace jprof {

std::string OptionsMarkdown();

}  // namespace jprof
