// Names of classes as people write them. Thread-safe: no state.
#pragma once

#include <string>
#include <string_view>

namespace jprof::profile {

// "[Ljava/lang/String;" -> "java.lang.String[]". The number after the '/' of a hidden class is
// kept.
std::string ClassText(std::string name);

// "java/util/HashMap.java": where the source of a class is, below a folder of sources, by package
// and outermost class. A class that is not the first of its file may be elsewhere. Empty: a class
// that has no source, like that of an array or a lambda.
std::string SourcePathOf(std::string_view class_text);

}  // namespace jprof::profile
