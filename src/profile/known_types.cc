#include "profile/known_types.h"

#include <string_view>

#include "jfr/format/jfr_types.h"

namespace jprof::profile {
namespace {

struct KnownTypeRow {
  uint32_t KnownTypes::*type;
  std::string_view name;
  std::string_view older_name;  // Oracle's JDK 9 and 10
};
constexpr KnownTypeRow kRows[] = {
    {&KnownTypes::thread, "java.lang.Thread", {}},
    {&KnownTypes::stack_trace, JfrName(JfrType::kStackTrace), "com.oracle.jfr.types.StackTrace"},
    {&KnownTypes::stack_frame, JfrName(JfrType::kStackFrame), "com.oracle.jfr.types.StackFrame"},
    {&KnownTypes::method, JfrName(JfrType::kMethod), "com.oracle.jfr.types.Method"},
    {&KnownTypes::class_type, "java.lang.Class", {}},
    {&KnownTypes::frame_type, JfrName(JfrType::kFrameType), "com.oracle.jfr.types.FrameType"},
    {&KnownTypes::thread_state, JfrName(JfrType::kThreadState), "com.oracle.jfr.types.ThreadState"},
};

}  // namespace

KnownTypes::KnownTypes(const JfrSchema& schema) {
  for (const KnownTypeRow& row : kRows) {
    const RecordedType* found = schema.Named(row.name);
    if (found == nullptr && !row.older_name.empty()) found = schema.Named(row.older_name);
    if (found != nullptr) this->*row.type = schema.IndexOf(*found);
  }
}

}  // namespace jprof::profile
