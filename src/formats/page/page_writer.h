// This file has AgentFormats, the output formats that the agent can write: the page and collapsed
// stacks. It also declares PackedPage, the page's own text, which the build packs into the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "formats/format_table.h"

namespace jprof {

// Returns the formats, html first. Thread-safe: the table is immutable.
const FormatTable& AgentFormats();

// The HTML, styles and scripts of the page. The build generates the definition
// (cmake/EmbedPage.cmake).
struct PackedPage {
  std::span<const uint8_t> gzip;
  size_t bytes;    // size of the unpacked text
  size_t data_at;  // offset in the unpacked text at which the data is inserted
};
extern const PackedPage kPackedPage;

}  // namespace jprof
