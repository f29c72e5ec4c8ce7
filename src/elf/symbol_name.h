// How a symbol of an object file is called in a recording.
//
// Any thread, not for handlers.
#pragma once

#include <string>

namespace jprof {

// The C++ name of a mangled symbol without its parameters, any other symbol as it is;
// `name@@VERSION` loses its version.
//
//   _ZNK5jprof3Foo3barEi.cold  ->  jprof::Foo::bar [clone .cold]
std::string DemangledName(const std::string& symbol);

}  // namespace jprof
