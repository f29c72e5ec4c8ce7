// ImportsOf: reads the import slots of an object (library) that the test itself keeps loaded.
#pragma once

#include <link.h>

#include <span>
#include <string_view>
#include <vector>

#include "loader_lock/import_slots.h"

namespace jprof::test {

// Returns the import slots of the object. REQUIRES: the object stays loaded during the call.
inline std::vector<ImportSlot> ImportsOf(const dl_phdr_info& info,
                                         std::span<const std::string_view> names) {
  const LoadedObject object(info);
  std::vector<ImportSlot> slots(object.FindImports(names, {}));
  object.FindImports(names, slots);
  return slots;
}

}  // namespace jprof::test
