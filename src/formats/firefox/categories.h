// This file has the Firefox Profiler's categories of frames and samples. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "profile/profile.h"

namespace jprof {
class JsonWriter;
}

namespace jprof::firefox {

enum class Category : uint8_t {
#define CATEGORY(Id, name, colour, ...) k##Id,
#include "formats/firefox/categories.def"
};

struct CategoryPlace {
  Category category = Category::kOther;
  uint8_t subcategory = 0;
};

// Returns the category of a frame; nullopt if the frame has the category of its caller.
std::optional<CategoryPlace> CategoryOf(const profile::Profile& profile,
                                        const profile::ProfileFrame& frame);

// Returns the subcategory of Idle for a state of a thread; 0 if a thread in this state does not
// wait.
uint8_t IdleSubcategory(std::string_view state);

// Writes the value of meta.categories.
void WriteCategories(JsonWriter& json);

}  // namespace jprof::firefox
