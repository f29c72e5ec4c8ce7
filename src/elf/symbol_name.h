// DemangledName returns the name that a symbol of an object file has in a recording.
//
// Thread-safe; not for signal handlers.
#pragma once

#include <string>

namespace jprof {

// Returns the demangled name of a C++ symbol, without parameters. Other symbols are unchanged,
// except that `name@@VERSION` loses its version.
//
//   _ZNK5jprof3Foo3barEi.cold  ->  jprof::Foo::bar [clone .cold]
std::string DemangledName(const std::string& symbol);

}  // namespace jprof
