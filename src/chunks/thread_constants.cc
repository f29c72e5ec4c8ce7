#include "chunks/thread_constants.h"

#include <cstring>
#include <memory>
#include <string>

#include "base/modified_utf8.h"

namespace jprof {
namespace {

// Appends a unit of UTF-16 as modified UTF-8.
void Append(uint16_t unit, std::string& out) {
  const auto continuation = [&](int shift) {
    out += static_cast<char>(0x80 | ((unit >> shift) & 0x3F));
  };
  if (unit != 0 && unit < 0x80) {
    out += static_cast<char>(unit);
  } else if (unit < 0x800) {
    out += static_cast<char>(0xC0 | unit >> 6);
    continuation(0);
  } else {
    out += static_cast<char>(0xE0 | unit >> 12);
    continuation(6);
    continuation(0);
  }
}

std::string TextOf(const ThreadNameBytes& name) {
  std::string text;
  if (name.utf16) {
    uint16_t unit = 0;
    for (size_t i = 0; i + sizeof unit <= name.size; i += sizeof unit) {
      memcpy(&unit, name.bytes + i, sizeof unit);
      Append(unit, text);
    }
  } else {
    for (size_t i = 0; i < name.size; ++i) Append(static_cast<uint8_t>(name.bytes[i]), text);
  }
  return Utf8FromModifiedUtf8(text);
}

std::string NameOfUnnamed(Tid tid) { return "[tid " + std::to_string(Value(tid)) + "]"; }

}  // namespace

void VirtualNames::BeginDrain() {
  published_.TakeAll(
      [this](int64_t id, const ThreadNameBytes& name) { names_.Set(id, TextOf(name)); });
}

std::string VirtualNames::NameOf(int64_t id) {
  // Takes the name if it was published since the drain began.
  published_.Take(
      id, [this, id](int64_t, const ThreadNameBytes& name) { names_.Set(id, TextOf(name)); });
  // Find keeps the name in memory. A sleeping thread needs its name even after its last sample,
  // because later chunks add the time of its sleep.
  const std::string* name = names_.Find(id);
  return name == nullptr ? std::string() : *name;
}

void ThreadConstants::BeginDrain() {
  keys_.clear();
  virtual_keys_.clear();
  virtual_names_.BeginDrain();
}

uint32_t ThreadConstants::KeyOfVirtual(int64_t id) {
  const auto [entry, is_new] = virtual_keys_.try_emplace(id, 0);
  if (is_new) entry->second = AddVirtual(id, virtual_names_.NameOf(id));
  return entry->second;
}

uint32_t ThreadConstants::KeyOfVirtual(int64_t id, const std::string& name) {
  const auto [entry, is_new] = virtual_keys_.try_emplace(id, 0);
  if (is_new) entry->second = AddVirtual(id, name);
  return entry->second;
}

// Describes a virtual thread as jdk.jfr does (jdk-25+36
// src/hotspot/share/jfr/recorder/checkpoint/types/jfrType.cpp, JfrThreadConstant): without the
// kernel's tid and name, in the group VirtualThreads, and mostly without a Java name.
uint32_t ThreadConstants::AddVirtual(int64_t id, const std::string& name) {
  ThreadConstant thread;
  thread.serial = static_cast<uint64_t>(id);
  thread.java_name = name;
  thread.java_id = id;
  thread.group_key = pools_.ThreadGroup({0, "VirtualThreads"});
  thread.is_virtual = true;
  return pools_.Thread(thread);
}

const ThreadConstants::Key& ThreadConstants::NewestOf(uint32_t serial, Tid tid) {
  const auto [entry, is_new] = keys_.try_emplace(serial);
  if (is_new) {
    const std::shared_ptr<const ThreadInfo> info = names_.Find(serial, tid);
    entry->second = {Add(*info), names_.NamedSince(serial)};
  }
  return entry->second;
}

uint32_t ThreadConstants::KeyOf(uint32_t serial, Tid tid) { return NewestOf(serial, tid).key; }

uint32_t ThreadConstants::KeyAt(const SampledThread& thread, Nanos time_ns) {
  if (thread.is_virtual()) return KeyOfVirtual(thread.virtual_id());
  const Key& newest = NewestOf(thread.serial(), thread.tid());
  if (time_ns >= newest.since_ns) return newest.key;
  return Add(*names_.FindAt(thread.serial(), thread.tid(), time_ns));
}

uint32_t ThreadConstants::KeyOf(const ThreadInfo& info) {
  const auto [entry, is_new] = keys_.try_emplace(info.serial);
  if (is_new) entry->second = {Add(info), names_.NamedSince(info.serial)};
  return entry->second.key;
}

uint32_t ThreadConstants::Add(const ThreadInfo& info) {
  ThreadConstant thread;
  thread.serial = info.serial;
  thread.os_tid = Value(info.tid);
  // A thread that ended before its kernel name was read has at least its Java name.
  const std::string unnamed = NameOfUnnamed(info.tid);
  thread.os_name = !info.os_name.empty()     ? info.os_name
                   : !info.java.name.empty() ? info.java.name
                                             : unnamed;
  thread.java_name = info.java.name;
  thread.java_id = info.java.id;
  thread.group_key = GroupKeyOf(info.java);
  return pools_.Thread(thread);
}

uint32_t ThreadConstants::KeyOfMentioned(const SampledThread& thread) {
  if (thread.is_virtual()) return KeyOfVirtual(thread.virtual_id());
  const Tid tid = names_.Find(thread.serial(), Tid{0})->tid;
  return Value(tid) == 0 ? pools_.KnownThread(thread.serial()) : KeyOf(thread.serial(), tid);
}

std::string ThreadConstants::NameOf(const SampledThread& thread) {
  if (thread.is_virtual()) return virtual_names_.NameOf(thread.virtual_id());
  const std::shared_ptr<const ThreadInfo> info = names_.Find(thread.serial(), thread.tid());
  if (!info->java.name.empty()) return info->java.name;
  return info->os_name.empty() ? NameOfUnnamed(info->tid) : info->os_name;
}

uint32_t ThreadConstants::GroupKeyOf(const JavaThreadInfo& info) {
  uint32_t key = 0;
  for (const std::string& name : info.group_path) key = pools_.ThreadGroup({key, name});
  return key;
}

}  // namespace jprof
