// These functions write CodeTables as tables of columns of equal length.
#include <string>

#include "base/modified_utf8.h"
#include "formats/firefox/code_tables.h"
#include "formats/json_writer.h"
#include "sources/source_text.h"

namespace jprof::firefox {
namespace {

// The document places all Java code in a library of this name, because the front end asks a server
// for the source of a function only if the function has an address in a library.
constexpr std::string_view kJitLibrary = "[JIT]";
constexpr std::string_view kJitDebugId = "6A70726F6600000000000000000000000";
constexpr size_t kMaxSourceTexts = size_t{16} << 20;
constexpr uint64_t kSymbolSize = 0x1000;
constexpr uint64_t kUncompiledBase = 0x4000'0000;

// Writes a column. For each row, calls column(row), which writes the value of the column in this
// row.
template <class Rows, class Column>
void WriteColumn(JsonWriter& json, std::string_view name, const Rows& rows, const Column& column) {
  json.BeginArray(name);
  for (const auto& row : rows) column(row);
  json.EndArray();
}

template <class Rows>
void WriteNulls(JsonWriter& json, std::string_view name, const Rows& rows) {
  WriteColumn(json, name, rows, [&json](const auto&) { json.Null(); });
}

// Writes `number`, or null if it is negative.
void NumberOrNull(JsonWriter& json, int64_t number) {
  if (number < 0) {
    json.Null();
  } else {
    json.Signed(number);
  }
}

}  // namespace

uint64_t CodeTables::AddressOf(const Frame& frame) const {
  return frame.symbol != kNone ? (static_cast<uint64_t>(frame.symbol) + 1) * kSymbolSize
                               : kUncompiledBase + uint64_t{frame.function} * 16;
}

void CodeTables::WriteShared(const FindSource& find_source, JsonWriter& json) const {
  WriteStacks(json);
  WriteFrames(json);
  WriteFunctions(json);
  WriteResources(json);
  WriteSymbols(json);
  WriteSources(find_source, json);
}

void CodeTables::WriteStacks(JsonWriter& json) const {
  json.BeginObject("stackTable");
  WriteColumn(json, "frame", stacks_, [&](const Stack& row) { json.Number(row.frame); });
  WriteColumn(json, "prefixOffset", stacks_,
              [&](const Stack& row) { json.Number(row.parent_distance); });
  json.Number("length", stacks_.size());
  json.EndObject();
}

void CodeTables::WriteFrames(JsonWriter& json) const {
  json.BeginObject("frameTable");
  WriteColumn(json, "address", frames_, [&](const Frame& row) {
    json.Signed(row.is_java ? static_cast<int64_t>(AddressOf(row)) : -1);
  });
  WriteColumn(json, "lib", frames_, [&](const Frame& row) { json.Signed(row.is_java ? 0 : -1); });
  WriteColumn(json, "inlineDepth", frames_, [&](const Frame& row) { json.Signed(row.depth); });
  WriteColumn(json, "category", frames_, [&](const Frame& row) {
    NumberOrNull(json, row.has_category ? static_cast<int64_t>(row.place.category) : -1);
  });
  WriteColumn(json, "subcategory", frames_, [&](const Frame& row) {
    NumberOrNull(json, row.has_category ? int64_t{row.place.subcategory} : -1);
  });
  WriteColumn(json, "func", frames_, [&](const Frame& row) { json.Number(row.function); });
  WriteColumn(json, "nativeSymbol", frames_,
              [&](const Frame& row) { NumberOrNull(json, row.symbol); });
  WriteColumn(json, "innerWindowID", frames_, [&](const Frame&) { json.Number(0); });
  WriteColumn(json, "line", frames_,
              [&](const Frame& row) { NumberOrNull(json, row.line > 0 ? row.line : -1); });
  WriteNulls(json, "column", frames_);
  WriteNulls(json, "originalLocation", frames_);
  json.Number("length", frames_.size());
  json.EndObject();
}

void CodeTables::WriteFunctions(JsonWriter& json) const {
  json.BeginObject("funcTable");
  WriteColumn(json, "name", functions_, [&](const Function& row) { json.Number(row.name); });
  WriteColumn(json, "isJS", functions_, [&](const Function& row) { json.Bool(row.is_java); });
  WriteColumn(json, "relevantForJS", functions_, [&](const Function&) { json.Bool(false); });
  WriteColumn(json, "resource", functions_,
              [&](const Function& row) { json.Signed(row.resource); });
  WriteColumn(json, "source", functions_,
              [&](const Function& row) { NumberOrNull(json, row.source); });
  WriteNulls(json, "lineNumber", functions_);
  WriteNulls(json, "columnNumber", functions_);
  WriteNulls(json, "originalLocation", functions_);
  json.Number("length", functions_.size());
  json.EndObject();
}

void CodeTables::WriteResources(JsonWriter& json) const {
  json.BeginObject("resourceTable");
  WriteColumn(json, "name", resources_, [&](const Resource& row) { json.Number(row.name); });
  WriteNulls(json, "host", resources_);
  WriteColumn(json, "type", resources_, [&](const Resource& row) { json.Signed(row.type); });
  json.Number("length", resources_.size());
  json.EndObject();
}

void CodeTables::WriteSymbols(JsonWriter& json) const {
  json.BeginObject("nativeSymbols");
  WriteColumn(json, "libIndex", symbols_, [&](uint32_t) { json.Number(0); });
  json.BeginArray("address");
  for (size_t i = 0; i < symbols_.size(); ++i) json.Number((i + 1) * kSymbolSize);
  json.EndArray();
  WriteColumn(json, "name", symbols_, [&](uint32_t name) { json.Number(name); });
  WriteNulls(json, "functionSize", symbols_);
  json.Number("length", symbols_.size());
  json.EndObject();
}

void CodeTables::WriteSources(const FindSource& find_source, JsonWriter& json) const {
  json.BeginObject("sources");
  WriteNulls(json, "id", sources_);
  WriteColumn(json, "filename", sources_, [&](uint32_t name) { json.Number(name); });
  WriteColumn(json, "startLine", sources_, [&](uint32_t) { json.Number(1); });
  WriteColumn(json, "startColumn", sources_, [&](uint32_t) { json.Number(1); });
  WriteNulls(json, "sourceMapURL", sources_);
  size_t bytes = 0;
  WriteColumn(json, "content", sources_, [&](uint32_t name) {
    const Result<SourceText> source = !find_source || bytes > kMaxSourceTexts
                                          ? Result<SourceText>(Error(""))
                                          : FindSourceOfPath(find_source, strings_[name]);
    if (!source) return json.Null();
    bytes += source.value().text.size();
    json.Text(Utf8FromModifiedUtf8(source.value().text));
  });
  json.Number("length", sources_.size());
  json.EndObject();
  json.BeginObject("sourceLocationTable");
  for (const std::string_view column : {"source", "line", "column"}) {
    json.BeginArray(column);
    json.EndArray();
  }
  json.Number("length", 0);
  json.EndObject();
}

void CodeTables::WriteLibraries(JsonWriter& json) const {
  json.BeginArray();
  json.BeginObject();
  json.Text("arch", "");
  for (const std::string_view key : {"name", "path", "debugName", "debugPath"}) {
    json.Text(key, kJitLibrary);
  }
  json.Text("breakpadId", kJitDebugId);
  json.Null("codeId");
  json.EndObject();
  for (const profile::ProfileLibrary& library : profile_.libraries) {
    const std::string& path = profile_.texts[library.path];
    const std::string name = path.substr(path.rfind('/') + 1);
    json.BeginObject();
    json.Text("arch", "");
    json.Text("name", name);
    json.Text("path", path);
    json.Text("debugName", name);
    json.Text("debugPath", path);
    json.Text("breakpadId", "");
    const std::string& build_id = profile_.texts[library.build_id];
    build_id.empty() ? json.Null("codeId") : json.Text("codeId", build_id);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace jprof::firefox
