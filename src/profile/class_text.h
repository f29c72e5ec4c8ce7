// Functions for the names of classes as people write them. Thread-safe: no state.
#pragma once

#include <string>
#include <string_view>

namespace jprof::profile {

// Converts "[Ljava/lang/String;" to "java.lang.String[]", and "Main$$Lambda+0x00007f0001000400" to
// "Main$$Lambda". The numbers of lambdas and other hidden classes are cut off, because they differ
// from run to run: with these numbers, two runs could not be compared.
std::string ClassText(std::string name);

// True if a class of this name comes with the JDK.
bool IsOfJdk(std::string_view class_text);

// Returns the path of a class's source file below a source folder, such as
// "java/util/HashMap.java": the package, and `file_name`, the file name that the recording has for
// the class. If `file_name` is not the name of a source file, the path has the name of the
// outermost class and ".java" instead. Returns an empty path for a class without a source, such as
// an array or a lambda.
std::string SourcePathOf(std::string_view class_text, std::string_view file_name = {});

// True if the text can be the name of a source file. Compilers and obfuscators also write other
// texts in its place: "<generated>", "SourceFile".
bool IsSourceFileName(std::string_view text);

}  // namespace jprof::profile
