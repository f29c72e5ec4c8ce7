// Names of classes as people write them. Thread-safe: no state.
#pragma once

#include <string>
#include <string_view>

namespace jprof::profile {

// "[Ljava/lang/String;" -> "java.lang.String[]"; "Main$$Lambda+0x00007f0001000400" ->
// "Main$$Lambda": the numbers of lambdas and other hidden classes are of one run, and cut off, so
// that two runs can be compared.
std::string ClassText(std::string name);

// Whether a class of this name comes with the JDK.
bool IsOfJdk(std::string_view class_text);

// "java/util/HashMap.java": where the source of a class is, below a folder of sources: by package
// and `file_name`, "HashMap.java", as the recording has it; if that is empty or no name of a file,
// by the outermost class. Empty: a class that has no source, like that of an array or a lambda.
std::string SourcePathOf(std::string_view class_text, std::string_view file_name = {});

// Whether the text can name a source file in the folder of a package. Compilers and obfuscators
// write other texts too: "<generated>", "SourceFile".
bool IsSourceFileName(std::string_view text);

}  // namespace jprof::profile
