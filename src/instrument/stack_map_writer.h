// WriteStackMap: writes the StackMapTable of a method with probes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "instrument/add_probes.h"
#include "instrument/class_file.h"
#include "instrument/code.h"
#include "instrument/code_layout.h"
#include "instrument/probe_places.h"

namespace jprof::instrument {

struct StackMapRequest {
  const Method& method;
  const Code& code;
  const ProbePlaces& places;
  const CodeLayout& layout;
  Bytes content;                    // the attribute's present content; empty if there is none
  uint32_t token;                   // the local variable that holds the token
  std::optional<uint32_t> handler;  // position of the probes' handler, if there is one
  size_t max_bytes;
};

// Returns the content of the attribute, empty if no stack map is needed; or the reason why the
// method cannot be probed.
Result<std::vector<uint8_t>, NotProbed> WriteStackMap(ClassFile& file,
                                                      const StackMapRequest& request);

}  // namespace jprof::instrument
