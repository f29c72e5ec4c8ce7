// OptionsMarkdown returns the content of docs/options.md, generated from the option table.
#pragma once

#include <string>

namespace jprof {

std::string OptionsMarkdown();

}  // namespace jprof
