#include "instrument/probed_class.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace jprof {
namespace {

class Cursor {
 public:
  explicit Cursor(const ClassBytes& bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  bool AtEnd() const { return ok_ && at_ == bytes_.size(); }
  size_t at() const { return at_; }
  uint32_t Number(size_t width) {
    uint32_t value = 0;
    for (const uint8_t byte : Take(width)) value = value * 256 + byte;
    return value;
  }
  ClassBytes Take(size_t count) {
    if (count > bytes_.size() - at_) {
      ok_ = false;
      at_ = bytes_.size();
      return {};
    }
    at_ += count;
    return ClassBytes(bytes_.begin() + static_cast<ptrdiff_t>(at_ - count),
                      bytes_.begin() + static_cast<ptrdiff_t>(at_));
  }
  std::string Text(size_t count) {
    const ClassBytes bytes = Take(count);
    return {bytes.begin(), bytes.end()};
  }

 private:
  const ClassBytes& bytes_;
  size_t at_ = 0;
  bool ok_ = true;
};

bool ReadPool(Cursor& cursor, std::vector<std::string>& texts) {
  texts.resize(cursor.Number(2));
  std::map<size_t, std::vector<uint32_t>> references;
  std::map<size_t, uint32_t> tags;
  for (size_t i = 1; i < texts.size() && cursor.ok(); ++i) {
    const uint32_t tag = tags[i] = cursor.Number(1);
    switch (tag) {
      case 1:
        texts[i] = cursor.Text(cursor.Number(2));
        break;
      case 3:
        texts[i] = "int " + std::to_string(cursor.Number(4));
        break;
      case 5:
      case 6:
        cursor.Take(8);
        ++i;
        break;
      case 7:
      case 8:
      case 16:
      case 19:
      case 20:
        references[i] = {cursor.Number(2)};
        break;
      case 15:
        cursor.Take(3);
        break;
      case 9:
      case 10:
      case 11:
      case 12:
        references[i].push_back(cursor.Number(2));
        references[i].push_back(cursor.Number(2));
        break;
      case 4:
      case 17:
      case 18:
        cursor.Take(4);
        break;
      default:
        return false;
    }
  }
  const auto text = [&texts](uint32_t index) {
    return index < texts.size() ? texts[index] : std::string();
  };
  for (const auto& [index, reference] : references) {
    if (tags[index] == 7) texts[index] = "class " + text(reference[0]);
    if (tags[index] == 12) texts[index] = text(reference[0]);
  }
  for (const auto& [index, reference] : references) {
    if (tags[index] != 10) continue;
    const std::string owner = text(reference[0]);
    texts[index] =
        (owner.starts_with("class ") ? owner.substr(6) : owner) + "." + text(reference[1]);
  }
  return cursor.ok();
}

bool ReadCode(const ClassBytes& content, const std::vector<std::string>& texts,
              ReadMethod& method) {
  Cursor cursor(content);
  method.max_stack = cursor.Number(2);
  method.max_locals = cursor.Number(2);
  method.code = cursor.Take(cursor.Number(4));
  for (uint32_t left = cursor.Number(2); left > 0 && cursor.ok(); --left) {
    auto& handler = method.handlers.emplace_back();
    for (int i = 0; i < 4; ++i) handler.push_back(cursor.Number(2));
  }
  for (uint32_t left = cursor.Number(2); left > 0 && cursor.ok(); --left) {
    const uint32_t name = cursor.Number(2);
    if (name >= texts.size()) return false;
    method.tables[texts[name]] = cursor.Take(cursor.Number(4));
  }
  return cursor.AtEnd();
}

// Reads a field or a method. Adds a method to `read`.
bool ReadMember(Cursor& cursor, const ClassBytes& bytes, bool is_method, ReadClass& read) {
  const size_t begin = cursor.at();
  cursor.Number(2);
  const uint32_t name = cursor.Number(2);
  const uint32_t descriptor = cursor.Number(2);
  if (name >= read.texts.size() || descriptor >= read.texts.size()) return false;
  ReadMethod method;
  for (uint32_t attributes = cursor.Number(2); attributes > 0 && cursor.ok(); --attributes) {
    const uint32_t attribute = cursor.Number(2);
    const ClassBytes content = cursor.Take(cursor.Number(4));
    const bool is_code = attribute < read.texts.size() && read.texts[attribute] == "Code";
    if (is_method && is_code && !ReadCode(content, read.texts, method)) return false;
  }
  method.whole.assign(bytes.begin() + static_cast<ptrdiff_t>(begin),
                      bytes.begin() + static_cast<ptrdiff_t>(cursor.at()));
  if (is_method) read.methods[read.texts[name] + read.texts[descriptor]] = method;
  return true;
}

std::string ReadType(Cursor& cursor) {
  const uint32_t tag = cursor.Number(1);
  if (tag == 7) cursor.Number(2);
  if (tag == 8) return "@" + std::to_string(cursor.Number(2));
  return tag < 8 ? std::string(1, "TIFDJNUO"[tag]) : "?";
}

std::vector<std::string> ReadTypes(Cursor& cursor) {
  std::vector<std::string> types;
  for (uint32_t left = cursor.Number(2); left > 0 && cursor.ok(); --left) {
    types.push_back(ReadType(cursor));
  }
  return types;
}

std::string Joined(const std::vector<std::string>& types) {
  std::string joined;
  for (const std::string& each : types) joined += (joined.empty() ? "" : ",") + each;
  return "[" + joined + "]";
}

}  // namespace

std::optional<ReadClass> ReadClass::Read(const ClassBytes& bytes) {
  ReadClass read;
  Cursor cursor(bytes);
  cursor.Take(8);
  if (!ReadPool(cursor, read.texts)) return std::nullopt;
  cursor.Take(6);
  cursor.Take(size_t{2} * cursor.Number(2));
  for (const bool is_method : {false, true}) {
    for (uint32_t left = cursor.Number(2); left > 0 && cursor.ok(); --left) {
      if (!ReadMember(cursor, bytes, is_method, read)) return std::nullopt;
    }
  }
  for (uint32_t left = cursor.Number(2); left > 0 && cursor.ok(); --left) {
    cursor.Take(2);
    cursor.Take(cursor.Number(4));
  }
  if (!cursor.AtEnd()) return std::nullopt;
  return read;
}

uint32_t ReadClass::ProbeIndex(const std::string& name) const {
  const auto found = std::find(texts.begin(), texts.end(), "P." + name);
  return found == texts.end() ? 0 : static_cast<uint32_t>(found - texts.begin());
}

std::vector<std::string> Frames(const ClassBytes& stack_map, const std::string& initial_locals) {
  std::vector<std::string> frames;
  std::vector<std::string> locals;
  for (const char type : initial_locals) locals.emplace_back(1, type);
  Cursor cursor(stack_map);
  uint32_t bci = 0;
  for (uint32_t left = cursor.Number(2); left > 0 && cursor.ok(); --left) {
    const uint32_t kind = cursor.Number(1);
    std::vector<std::string> stack;
    const uint32_t delta = kind < 128 ? kind % 64 : cursor.Number(2);
    bci += delta + (frames.empty() ? 0 : 1);
    if ((kind >= 64 && kind < 128) || kind == 247) stack = {ReadType(cursor)};
    for (uint32_t i = kind; kind >= 248 && i < 251; ++i) locals.pop_back();
    for (uint32_t i = 251; kind < 255 && i < kind; ++i) locals.push_back(ReadType(cursor));
    if (kind == 255) {
      locals = ReadTypes(cursor);
      stack = ReadTypes(cursor);
    }
    frames.push_back(std::to_string(bci) + " " + Joined(locals) + " " + Joined(stack));
  }
  EXPECT_TRUE(cursor.AtEnd());
  return frames;
}

Probed ProbeAll(const ClassBytes& class_file, uint32_t first_id) {
  Probed probed;
  instrument::ProbeTarget target;
  target.class_name = "P";
  uint32_t next_id = first_id;
  const auto result = instrument::AddProbes(
      class_file, target, [&next_id](const instrument::MethodToProbe&) { return next_id++; },
      &probed.report);
  EXPECT_TRUE(result.ok()) << result.error().message();
  if (!result.ok() || result.value().empty()) return probed;
  probed.bytes = result.value();
  const auto read = ReadClass::Read(probed.bytes);
  EXPECT_TRUE(read);
  if (read) probed.read = *read;
  return probed;
}

ClassBytes EntryCode(const ReadClass& read, uint32_t id, uint8_t token) {
  return ClassBytes{0x11} + Shorts({id}) + ClassBytes{0xB8} + Shorts({read.ProbeIndex("entry")}) +
         ClassBytes{0x37, token};
}

ClassBytes ExitCode(const ReadClass& read, uint32_t id, uint8_t token) {
  return ClassBytes{0x11} + Shorts({id}) + ClassBytes{0x16, token, 0xB8} +
         Shorts({read.ProbeIndex("exit")});
}

ClassBytes HandlerCode(const ReadClass& read, uint32_t id, uint8_t token) {
  return ClassBytes{0x59, 0x11} + Shorts({id}) + ClassBytes{0x16, token, 0xB8} +
         Shorts({read.ProbeIndex("exception")}) + ClassBytes{0xBF};
}

}  // namespace jprof
