// ChunkBuilder builds JFR chunks of any shape, including shapes that no writer produces.
//
//   ChunkBuilder chunk;
//   chunk.Type(20, "demo.Event", "jdk.jfr.Event", {{"n", kIntId}});
//   chunk.Event(20, [](Bytes& out) { out.Int(7); });
//   WriteFile(path, chunk.Build());
#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace jprof::test {

// Ids of the primitives that every built chunk declares.
enum : uint64_t {
  kBooleanId = 2,
  kByteId,
  kCharId,
  kShortId,
  kIntId,
  kLongId,
  kFloatId,
  kDoubleId,
  kStringId,
  kTimestampId,
  kTimespanId,
  kLabelId,
};

class Bytes {
 public:
  explicit Bytes(bool compressed = true) : compressed_(compressed) {}

  void Byte(uint64_t value) { text_ += static_cast<char>(value); }
  void Fixed(uint64_t value, int width) {
    for (int i = width - 1; i >= 0; --i) Byte(value >> (8 * i) & 0xFF);
  }
  void Varint(uint64_t value) {
    for (int i = 0; i < 8 && value >= 0x80; ++i, value >>= 7) Byte((value & 0x7F) | 0x80);
    Byte(value);
  }
  void Short(uint64_t value) { compressed_ ? Varint(value) : Fixed(value, 2); }
  void Int(uint64_t value) { compressed_ ? Varint(value) : Fixed(value, 4); }
  void Long(uint64_t value) { compressed_ ? Varint(value) : Fixed(value, 8); }
  void Utf8(const std::string& text) {
    Byte(3);
    Int(text.size());
    text_ += text;
  }
  void Raw(const std::string& bytes) { text_ += bytes; }

  const std::string& text() const { return text_; }
  bool compressed() const { return compressed_; }

 private:
  bool compressed_;
  std::string text_;
};

// Flags that say how an event stores the value of a field.
enum : uint8_t {
  kPlain = 0,
  kInPool = 1,  // the key of a constant instead of the value
  kArray = 2,   // a count, then that many values or keys
};

struct BuiltField {
  std::string name;
  uint64_t type;
  uint8_t flags = kPlain;
  uint64_t annotation = 0;
  std::string annotation_value = {};
};

using Fill = std::function<void(Bytes&)>;

class ChunkBuilder {
 public:
  explicit ChunkBuilder(bool compressed = true) : compressed_(compressed) {
    static constexpr const char* kNames[] = {"boolean",
                                             "byte",
                                             "char",
                                             "short",
                                             "int",
                                             "long",
                                             "float",
                                             "double",
                                             "java.lang.String",
                                             "jdk.jfr.Timestamp",
                                             "jdk.jfr.Timespan",
                                             "jdk.jfr.Label"};
    uint64_t id = kBooleanId;
    for (const char* name : kNames) Type(id++, name, "", {});
  }

  uint64_t start_ticks = 1000;
  uint64_t start_epoch_ns = 1'000'000'000'000;
  uint64_t ticks_per_second = 1'000'000;
  uint8_t state = 0;
  int64_t last_delta = 0;  // offset to the previous checkpoint, as the checkpoint states it

  void Type(uint64_t id, const std::string& name, const std::string& super_type,
            std::vector<BuiltField> fields) {
    types_.push_back({id, name, super_type, std::move(fields)});
  }
  void Event(uint64_t type, const Fill& fill) { events_ += Wrapped(type, fill); }
  void RawEvent(const std::string& bytes) { events_ += bytes; }
  void Constant(uint64_t type, uint64_t key, const Fill& fill) {
    Bytes value(compressed_);
    value.Long(key);
    fill(value);
    pools_[type].push_back(value.text());
  }
  // Makes Build write `count` as the number of entries in the pool of `type`.
  void LieAboutCount(uint64_t type, uint64_t count) { lies_[type] = count; }

  std::string Build() const {
    const std::string metadata = Metadata();
    const std::string checkpoint = Wrapped(1, [this](Bytes& out) { FillCheckpoint(out); });
    Bytes header;
    header.Raw(std::string("FLR\0", 4));
    header.Fixed(2, 2);
    header.Fixed(1, 2);
    header.Fixed(68 + metadata.size() + events_.size() + checkpoint.size(), 8);
    header.Fixed(68 + metadata.size() + events_.size(), 8);
    header.Fixed(68, 8);
    header.Fixed(start_epoch_ns, 8);
    header.Fixed(1'000'000'000, 8);
    header.Fixed(start_ticks, 8);
    header.Fixed(ticks_per_second, 8);
    header.Byte(state);
    header.Byte(0);
    header.Fixed(compressed_ ? 1 : 0, 2);
    return header.text() + metadata + events_ + checkpoint;
  }

 private:
  struct BuiltType {
    uint64_t id;
    std::string name, super_type;
    std::vector<BuiltField> fields;
  };

  std::string Wrapped(uint64_t type, const Fill& fill) const {
    Bytes body(compressed_);
    body.Long(type);
    fill(body);
    // Sizes take at least two bytes, so that a size does not change its own length.
    Bytes size(compressed_);
    if (!compressed_) {
      size.Int(body.text().size() + 4);
    } else {
      const uint64_t whole = body.text().size() + 4;
      for (int i = 0; i < 3; ++i) size.Byte((whole >> (7 * i) & 0x7F) | 0x80);
      size.Byte(whole >> 21);
    }
    return size.text() + body.text();
  }

  void FillCheckpoint(Bytes& out) const {
    out.Long(start_ticks);
    out.Long(0);
    out.Long(static_cast<uint64_t>(last_delta));
    out.Byte(1);
    out.Int(pools_.size());
    for (const auto& [type, entries] : pools_) {
      out.Long(type);
      out.Int(lies_.count(type) != 0 ? lies_.at(type) : entries.size());
      for (const std::string& entry : entries) out.Raw(entry);
    }
  }

  std::string Metadata() const {
    std::vector<std::string> strings;
    std::map<std::string, uint64_t> numbers;
    const auto number = [&](const std::string& text) {
      const auto [entry, is_new] = numbers.emplace(text, strings.size());
      if (is_new) strings.push_back(text);
      return entry->second;
    };
    Bytes tree(compressed_);
    const auto element = [&](const std::string& name,
                             const std::vector<std::pair<std::string, std::string>>& attributes,
                             size_t children) {
      tree.Int(number(name));
      tree.Int(attributes.size());
      for (const auto& [key, value] : attributes) {
        const uint64_t key_number = number(key);
        tree.Int(key_number);
        tree.Int(number(value));
      }
      tree.Int(children);
    };
    element("root", {}, 2);
    element("metadata", {}, types_.size());
    for (const BuiltType& type : types_) {
      std::vector<std::pair<std::string, std::string>> attributes = {
          {"name", type.name}, {"id", std::to_string(type.id)}};
      if (!type.super_type.empty()) attributes.emplace_back("superType", type.super_type);
      element("class", attributes, type.fields.size());
      for (const BuiltField& field : type.fields) {
        attributes = {{"name", field.name}, {"class", std::to_string(field.type)}};
        if ((field.flags & kInPool) != 0) attributes.emplace_back("constantPool", "true");
        if ((field.flags & kArray) != 0) attributes.emplace_back("dimension", "1");
        element("field", attributes, field.annotation == 0 ? 0 : 1);
        if (field.annotation == 0) continue;
        element("annotation",
                {{"class", std::to_string(field.annotation)}, {"value", field.annotation_value}},
                0);
      }
    }
    element("region", {}, 0);
    return Wrapped(0, [&](Bytes& out) {
      out.Long(start_ticks);
      out.Long(0);
      out.Long(1);
      out.Int(strings.size());
      for (const std::string& text : strings) out.Utf8(text);
      out.Raw(tree.text());
    });
  }

  bool compressed_;
  std::vector<BuiltType> types_;
  std::string events_;
  std::map<uint64_t, std::vector<std::string>> pools_;
  std::map<uint64_t, uint64_t> lies_;
};

inline void WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// Adds the types of a chunk with stacks: 30 jdk.ExecutionSample, 31 java.lang.Thread, 32
// jdk.types.StackTrace, 33 StackFrame, 34 Method, 35 Class, 36 Symbol, 37 FrameType.
inline void AddSampleTypes(ChunkBuilder& chunk) {
  chunk.Type(30, "jdk.ExecutionSample", "jdk.jfr.Event",
             {{"startTime", kLongId, kPlain, kTimestampId, "TICKS"},
              {"sampledThread", 31, kInPool},
              {"stackTrace", 32, kInPool}});
  chunk.Type(31, "java.lang.Thread", "",
             {{"osName", kStringId},
              {"osThreadId", kLongId},
              {"javaName", kStringId},
              {"javaThreadId", kLongId}});
  chunk.Type(32, "jdk.types.StackTrace", "", {{"truncated", kBooleanId}, {"frames", 33, kArray}});
  chunk.Type(33, "jdk.types.StackFrame", "",
             {{"method", 34, kInPool}, {"lineNumber", kIntId}, {"type", 37, kInPool}});
  chunk.Type(34, "jdk.types.Method", "",
             {{"type", 35, kInPool}, {"name", 36, kInPool}, {"descriptor", 36, kInPool}});
  chunk.Type(35, "java.lang.Class", "", {{"name", 36, kInPool}});
  chunk.Type(36, "jdk.types.Symbol", "", {{"string", kStringId}});
  chunk.Type(37, "jdk.types.FrameType", "", {{"description", kStringId}});
}

// Adds thread 1 "main", methods 1 a.B.run and 2 a.B.work, and stack 1, in which run calls work.
inline void AddSampleConstants(ChunkBuilder& chunk) {
  static constexpr const char* kSymbols[] = {"a/B", "run", "work", "()V"};
  for (uint64_t i = 0; i < 4; ++i) {
    chunk.Constant(36, i + 1, [i](Bytes& out) { out.Utf8(kSymbols[i]); });
  }
  chunk.Constant(37, 1, [](Bytes& out) { out.Utf8("JIT compiled"); });
  chunk.Constant(35, 1, [](Bytes& out) { out.Long(1); });
  for (uint64_t i = 1; i <= 2; ++i) {
    chunk.Constant(34, i, [i](Bytes& out) {
      out.Long(1);
      out.Long(i + 1);
      out.Long(4);
    });
  }
  chunk.Constant(31, 1, [](Bytes& out) {
    out.Utf8("main os");
    out.Long(42);
    out.Utf8("main");
    out.Long(1);
  });
  chunk.Constant(32, 1, [](Bytes& out) {
    out.Byte(0);
    out.Int(2);
    for (const uint64_t method : {2, 1}) {  // innermost first
      out.Long(method);
      out.Int(10 + method);
      out.Long(1);
    }
  });
}

inline void AddSample(ChunkBuilder& chunk, uint64_t ticks, uint64_t thread = 1,
                      uint64_t stack = 1) {
  chunk.Event(30, [=](Bytes& out) {
    out.Long(ticks);
    out.Long(thread);
    out.Long(stack);
  });
}

}  // namespace jprof::test
