#include "support/jvm/recording.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "support/jvm/process.h"
#include "support/jvm/test_paths.h"

namespace jprof::test {
namespace {

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// Decodes the %XX escapes of RecordingReader.
std::string Unescape(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      plain +=
          static_cast<char>(std::strtol(std::string(text.substr(i + 1, 2)).c_str(), nullptr, 16));
      i += 2;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

Frame ParseFrame(std::string_view text) {
  const std::string plain = Unescape(text);
  const size_t colon = plain.rfind(':');
  if (colon == std::string::npos) return Frame{plain, 0, ""};
  return Frame{plain.substr(0, colon),
               static_cast<int>(std::strtol(plain.c_str() + colon + 1, nullptr, 10)), ""};
}

void ParseFrames(std::string_view text, std::vector<Frame>* frames) {
  if (text.empty()) return;
  for (const std::string_view part : Split(text, ';')) frames->push_back(ParseFrame(part));
}

void ParseFrameTypes(std::string_view text, std::vector<Frame>* frames) {
  const std::vector<std::string_view> types = Split(text, ';');
  for (size_t i = 0; i < types.size() && i < frames->size(); ++i) {
    (*frames)[i].type = Unescape(types[i]);
  }
}

Event ParseEvent(std::string_view line) {
  const std::vector<std::string_view> columns = Split(line, '\t');
  Event event;
  event.type = std::string(columns.front());
  for (size_t i = 1; i < columns.size(); ++i) {
    const size_t equals = columns[i].find('=');
    const std::string name(columns[i].substr(0, equals));
    const std::string_view value = columns[i].substr(equals + 1);
    if (name == "stackTrace.frames") {
      ParseFrames(value, &event.frames);
    } else if (name == "stackTrace.types") {
      ParseFrameTypes(value, &event.frames);
    } else {
      event.fields.emplace(name, Unescape(value));
    }
  }
  return event;
}

std::vector<Recording> ParseRecordings(std::string_view text) {
  struct File {
    std::vector<Event> events;
    std::map<std::string, Method> methods;
  };
  std::vector<File> files;
  for (const std::string_view line : Split(text, '\n')) {
    if (line.starts_with("# ")) {
      files.emplace_back();
    } else if (line.starts_with("= ") && !files.empty()) {
      const std::vector<std::string_view> columns = Split(line.substr(2), '\t');
      if (columns.size() != 3) continue;
      files.back().methods[Unescape(columns[0])] = {std::string(columns[1]), Unescape(columns[2])};
    } else if (!line.empty() && !files.empty()) {
      files.back().events.push_back(ParseEvent(line));
    }
  }
  std::vector<Recording> recordings;
  for (File& file : files) {
    recordings.emplace_back(std::move(file.events), std::move(file.methods));
  }
  return recordings;
}

}  // namespace

std::string Event::Text(const std::string& name) const {
  const auto found = fields.find(name);
  return found == fields.end() ? "" : found->second;
}

int64_t Event::Number(const std::string& name) const {
  return std::strtoll(Text(name).c_str(), nullptr, 10);
}

bool Event::HasFrame(const std::string& method) const {
  return std::any_of(frames.begin(), frames.end(),
                     [&](const Frame& frame) { return frame.method == method; });
}

bool Event::HasFramesInOrder(const std::vector<std::string>& methods) const {
  auto wanted = methods.begin();
  for (const Frame& frame : frames) {
    if (wanted != methods.end() && frame.method == *wanted) ++wanted;
  }
  return wanted == methods.end();
}

Result<Recording> Recording::Read(const Jdk& jdk, const std::string& path) {
  auto recordings = ReadAll(jdk, {path});
  if (!recordings) return recordings.error();
  return std::move(recordings.value().front());
}

Result<std::vector<Recording>> Recording::ReadAll(const Jdk& jdk,
                                                  const std::vector<std::string>& paths) {
  ProcessSpec spec;
  spec.argv = {ReaderOf(jdk).Tool("java"),
               "-XX:TieredStopAtLevel=1",
               "-XX:+UseSerialGC",
               "-cp",
               ReaderClasses(),
               "RecordingReader"};
  spec.argv.insert(spec.argv.end(), paths.begin(), paths.end());
  const ProcessResult result = RunProcess(spec);
  if (result.exit_code != 0) {
    return Error("the JDK cannot read " + paths.front() + ": " + result.err);
  }
  auto recordings = ParseRecordings(result.out);
  if (recordings.size() != paths.size()) return Error("the reader's output lacks a file");
  return recordings;
}

std::vector<Event> Recording::OfType(const std::string& type) const {
  std::vector<Event> matching;
  std::copy_if(events_.begin(), events_.end(), std::back_inserter(matching),
               [&](const Event& event) { return event.type == type; });
  return matching;
}

int64_t Recording::Count(const std::string& type) const {
  return std::count_if(events_.begin(), events_.end(),
                       [&](const Event& event) { return event.type == type; });
}

int64_t Recording::Sum(const std::string& type, const std::string& field) const {
  int64_t sum = 0;
  for (const Event& event : OfType(type)) sum += event.Number(field);
  return sum;
}

}  // namespace jprof::test
