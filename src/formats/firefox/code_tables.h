// CodeTables has the tables that all threads of the output share: stacks, frames, functions, and
// the symbols, resources and sources to which functions and frames refer. A row is added when
// another row or a sample first refers to it, so no row is unused. Used by one thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/key_map.h"
#include "formats/firefox/categories.h"
#include "profile/profile.h"
#include "sources/source_text.h"

namespace jprof {
class JsonWriter;
}  // namespace jprof

namespace jprof::firefox {

class CodeTables {
 public:
  // REQUIRES: `profile` and `strings` outlive this object; `profile` does not change.
  CodeTables(const profile::Profile& profile, profile::TextTable& strings);

  // Returns the row of a stack. `idle` is the subcategory of Idle if the thread of the stack waits;
  // otherwise it is 0. REQUIRES: `stack` is not the root.
  uint32_t StackRow(uint32_t stack, uint8_t idle = 0);

  // Writes the members of the JSON object `shared` except stringArray. Includes the texts of the
  // sources that `find_source` finds, up to a limit.
  void WriteShared(const FindSource& find_source, JsonWriter& json) const;
  // Writes the value of `libs`.
  void WriteLibraries(JsonWriter& json) const;

 private:
  static constexpr int32_t kNone = -1;

  struct Stack {
    uint32_t frame, parent_distance;  // parent_distance is 0 if there is no parent
  };
  struct Frame {
    uint32_t function;
    int32_t symbol, depth, line;
    bool has_category;
    CategoryPlace place;
    bool is_java;
  };
  struct Function {
    uint32_t name;  // number in the table of strings
    bool is_java;
    int32_t resource, source;
  };
  struct Resource {
    uint32_t name;
    int type;
  };

  uint32_t AddStack(uint32_t stack, uint8_t idle);
  // Returns the row of a frame. `caller` is the row of the stack that called the frame, or kNone.
  uint32_t FrameRow(uint32_t frame, int64_t caller, uint8_t idle);
  uint32_t FunctionRow(const profile::ProfileFrame& frame);
  // Returns the row of the symbol that stands for the compiled code of a frame. A method has one
  // symbol for each compiler.
  int32_t SymbolRow(const profile::ProfileFrame& frame);
  int32_t ResourceRow(const std::string& name, int type);
  int32_t SourceRow(const std::string& path);
  uint64_t AddressOf(const Frame& frame) const;

  void WriteStacks(JsonWriter& json) const;
  void WriteFrames(JsonWriter& json) const;
  void WriteFunctions(JsonWriter& json) const;
  void WriteSymbols(JsonWriter& json) const;
  void WriteResources(JsonWriter& json) const;
  void WriteSources(const FindSource& find_source, JsonWriter& json) const;

  const profile::Profile& profile_;
  profile::TextTable& strings_;

  // The vectors and KeyMaps hold row numbers plus 1, or 0 if there is no row yet. The std::maps
  // hold row numbers.
  std::vector<uint32_t> row_of_stack_;
  KeyMap idle_rows_;                     // keyed by stack and subcategory
  KeyMap variant_numbers_;               // keyed by symbol, depth and idle subcategory
  KeyMap frame_rows_;                    // keyed by frame of the profile and variant
  std::vector<uint32_t> function_rows_;  // indexed by method
  std::map<std::pair<uint32_t, profile::FrameKind>, uint32_t> symbol_rows_;
  std::map<std::string, uint32_t> resource_rows_;
  std::map<std::string, uint32_t> source_rows_;
  // A stack without a row, and its ancestors up to the first that has a row.
  std::vector<uint32_t> path_;

  std::vector<Stack> stacks_;
  std::vector<Frame> frames_;
  std::vector<Function> functions_;
  std::vector<uint32_t> symbols_;  // the name of each symbol, as a number of the table of strings
  std::vector<Resource> resources_;
  std::vector<uint32_t> sources_;  // the name of each source, as a number of the table of strings
};

}  // namespace jprof::firefox
