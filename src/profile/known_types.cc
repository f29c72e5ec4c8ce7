#include "profile/known_types.h"

#include <string_view>

namespace jprof::profile {
namespace {

struct KnownTypeRow {
  uint32_t KnownTypes::*type;
  std::string_view name;
  std::string_view older_name;  // Oracle's JDK 9 and 10
};
constexpr KnownTypeRow kRows[] = {
    {&KnownTypes::thread, "java.lang.Thread", {}},
    {&KnownTypes::stack_trace, "jdk.types.StackTrace", "com.oracle.jfr.types.StackTrace"},
    {&KnownTypes::stack_frame, "jdk.types.StackFrame", "com.oracle.jfr.types.StackFrame"},
    {&KnownTypes::method, "jdk.types.Method", "com.oracle.jfr.types.Method"},
    {&KnownTypes::class_type, "java.lang.Class", {}},
    {&KnownTypes::frame_type, "jdk.types.FrameType", "com.oracle.jfr.types.FrameType"},
    {&KnownTypes::thread_state, "jdk.types.ThreadState", "com.oracle.jfr.types.ThreadState"},
};

}  // namespace

KnownTypes::KnownTypes(const JfrSchema& schema) {
  for (const KnownTypeRow& row : kRows) {
    const JfrType* found = schema.Named(row.name);
    if (found == nullptr && !row.older_name.empty()) found = schema.Named(row.older_name);
    if (found != nullptr) this->*row.type = schema.IndexOf(*found);
  }
}

}  // namespace jprof::profile
