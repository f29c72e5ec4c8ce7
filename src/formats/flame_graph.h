// WriteFlameGraph: a self-contained HTML page with an interactive flame graph. One thread.
//
// The page is flame_graph/page.html with its styles and scripts merged in at build time, and the
// profile as a block of data (docs/formats/flame-graph.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace jprof::profile {
class Profile;
class SampleTable;
}  // namespace jprof::profile

namespace jprof {

class OutputStream;

struct FlameGraphPage {
  std::string title;
  std::optional<uint32_t> first_kind;  // shown when the page opens; nullopt: no samples
  std::string missing;                 // the unreadable part of the recording
};

// REQUIRES: the table weighs by value.
void WriteFlameGraph(const profile::Profile& profile, const profile::SampleTable& table,
                     const FlameGraphPage& page, OutputStream& out);

}  // namespace jprof
