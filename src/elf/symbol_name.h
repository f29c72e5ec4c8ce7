// The name of a symbol of an object file in a recording.
//
// Any thread, not for handlers.
#pragma once

#include <string>

namespace jprof {

// The demangled C++ name without parameters; other symbols unchanged. `name@@VERSION` loses its
// version.
//
//   _ZNK5jprof3Foo3barEi.cold  ->  jprof::Foo::bar [clone .cold]
std::string DemangledName(const std::string& symbol);

}  // namespace jprof
