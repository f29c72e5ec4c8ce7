// Functions for the names of classes as people write them. Thread-safe: no state.
#pragma once

#include <string>
#include <string_view>

namespace jprof::profile {

// Converts "[Ljava/lang/String;" to "java.lang.String[]", and "Main$$Lambda+0x00007f0001000400" to
// "Main$$Lambda". Cuts off the numbers of lambdas and other hidden classes: they differ from run to
// run, and without them two runs can be compared.
std::string ClassText(std::string name);

// True if a class of this name comes with the JDK.
bool IsOfJdk(std::string_view class_text);

// Returns the path of a class's source file below a folder of sources: "java/util/HashMap.java".
// The path consists of the package and of `file_name`, the name of the file in the recording. If
// `file_name` is not the name of a source file, the path ends with the name of the outermost class
// and ".java" instead, or is empty if the class has no source, as an array or a lambda.
std::string SourcePathOf(std::string_view class_text, std::string_view file_name = {});

// True if the text can name a source file in the folder of a package. Compilers and obfuscators
// also write texts that cannot: "<generated>", "SourceFile".
bool IsSourceFileName(std::string_view text);

}  // namespace jprof::profile
