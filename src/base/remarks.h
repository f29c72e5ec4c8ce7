// Remark: what stands in brackets where a frame or a thread would be. Generated from the table,
// which also explains each to users.
//
// Thread-safe: no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace jprof {

enum class Remark : uint8_t {
#define REMARK(Id, text, explanation) k##Id,
#include "base/remarks.def"
#undef REMARK
};

struct RemarkRow {
  std::string_view text, explanation;
};
inline constexpr RemarkRow kRemarks[] = {
#define REMARK(Id, text, explanation) {text, explanation},
#include "base/remarks.def"
#undef REMARK
};

constexpr std::string_view Text(Remark remark) {
  return kRemarks[static_cast<size_t>(remark)].text;
}

// The row of a name of a frame or thread, "[12 other threads]" as well; nullptr: it is no remark.
const RemarkRow* FindRemark(std::string_view name);

}  // namespace jprof
