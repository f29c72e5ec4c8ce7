#include "jfr/writer/constant_pools.h"

namespace jprof {
namespace {

struct NamedKey {
  uint32_t key;
  std::string_view name;
};

// The texts are those of the JDK (src/hotspot/share/jfr/recorder/checkpoint/types/jfrType.cpp,
// jdk-25+36) and, for native code and C1, of async-profiler (src/flightRecorder.cpp, v4.1).
constexpr NamedKey kFrameTypes[] = {
    {static_cast<uint32_t>(FrameType::kInterpreted), "Interpreted"},
    {static_cast<uint32_t>(FrameType::kJitCompiled), "JIT compiled"},
    {static_cast<uint32_t>(FrameType::kInlined), "Inlined"},
    {static_cast<uint32_t>(FrameType::kNative), "Native"},
    {static_cast<uint32_t>(FrameType::kCpp), "C++"},
    {static_cast<uint32_t>(FrameType::kKernel), "Kernel"},
    {static_cast<uint32_t>(FrameType::kC1Compiled), "C1 compiled"},
    {static_cast<uint32_t>(FrameType::kJava), "Java"},
};
constexpr NamedKey kThreadStates[] = {
#define THREAD_STATE(name, key, text) {key, text},
#include "base/thread_states.def"
#undef THREAD_STATE
};

constexpr NamedKey kGcWhens[] = {
    {static_cast<uint32_t>(GCWhen::kBefore), "Before GC"},
    {static_cast<uint32_t>(GCWhen::kAfter), "After GC"},
};

void BeginPool(JfrEncoder& out, JfrType type, size_t count) {
  out.Varint(TypeId(type));
  out.Varint(count);
}

void WriteEntries(JfrEncoder& out, std::span<const NamedKey> entries) {
  for (const NamedKey& entry : entries) {
    out.Varint(entry.key);
    out.String(entry.name);
  }
}

void WriteTexts(JfrEncoder& out, const KeyTable<std::string>& texts) {
  texts.ForEachReferenced([&](uint32_t key, const std::string& text) {
    out.Varint(key);
    out.String(text);
  });
}

}  // namespace

uint32_t ConstantPools::Class(const ClassConstant& constant) {
  return classes_.KeyOf(
      ClassEntry{constant.loader_key, Symbol(constant.name), constant.modifiers, constant.hidden});
}

uint32_t ConstantPools::Method(const MethodConstant& constant) {
  return methods_.KeyOf(MethodEntry{constant.class_key, Symbol(constant.name),
                                    Symbol(constant.descriptor), constant.modifiers,
                                    constant.hidden});
}

uint32_t ConstantPools::ClassLoader(const ClassLoaderConstant& constant) {
  return loaders_.KeyOf(LoaderEntry{constant.class_key, Symbol(constant.name)});
}

uint32_t ConstantPools::ThreadGroup(const ThreadGroupConstant& constant) {
  return groups_.KeyOf(GroupEntry{constant.parent_key, Symbol(constant.name)});
}

// If the open chunk already refers to the thread, references its group again: the new description
// of the thread can have another group.
uint32_t ConstantPools::Thread(const ThreadConstant& constant) {
  const uint32_t key = threads_.KeyOf(constant);
  if (threads_.IsReferenced(key)) ReferenceGroup(constant.group_key);
  return key;
}

void ConstantPools::SetStackTrace(uint32_t key, Truncated truncated,
                                  std::span<const FrameConstant> frames) {
  if (!stacks_.Set(key, truncated, frames)) return;
  for (const FrameConstant& frame : frames) ReferenceMethod(frame.method_key);
}

void ConstantPools::ReferenceRare(JfrType type, uint32_t key) {
  if (type == JfrType::kClass) ReferenceClass(key);
  if (type == JfrType::kMethod) ReferenceMethod(key);
  if (type == JfrType::kGCName) gc_names_.Reference(key);
  if (type == JfrType::kGCCause) gc_causes_.Reference(key);
  if (type == JfrType::kGCWhen) gc_when_is_referenced_ = true;
}

void ConstantPools::ReferenceMethod(uint32_t key) {
  if (!methods_.Reference(key)) return;
  const MethodEntry& method = methods_[key];
  symbols_.Reference(method.name_key);
  symbols_.Reference(method.descriptor_key);
  ReferenceClass(method.class_key);
}

// References a class, its loader, the loader's class and so on. The chain ends at the boot loader,
// or at a class or loader to which the chunk already refers.
void ConstantPools::ReferenceClass(uint32_t key) {
  while (classes_.Reference(key)) {
    const ClassEntry& type = classes_[key];
    symbols_.Reference(type.name_key);
    if (!loaders_.Reference(type.loader_key)) return;
    const LoaderEntry& loader = loaders_[type.loader_key];
    symbols_.Reference(loader.name_key);
    key = loader.class_key;
  }
}

void ConstantPools::ReferenceGroup(uint32_t key) {
  while (groups_.Reference(key)) key = groups_[key].parent_key;
}

void ConstantPools::Write(JfrEncoder& out, const std::function<void()>& spill) const {
  // The pools are in this order, because some readers resolve keys while they read. Empty pools are
  // left out, because readers reject them.
  struct Pool {
    JfrType type;
    size_t count;
    std::function<void()> write;
  };
  const Pool pools[] = {
      {JfrType::kFrameType, std::size(kFrameTypes), [&] { WriteEntries(out, kFrameTypes); }},
      {JfrType::kThreadState, std::size(kThreadStates), [&] { WriteEntries(out, kThreadStates); }},
      {JfrType::kThreadGroup, groups_.referenced(), [&] { WriteGroups(out, spill); }},
      {JfrType::kThread, threads_.referenced(), [&] { threads_.Write(out, spill); }},
      {JfrType::kStackTrace, stacks_.count(), [&] { stacks_.Write(out, spill); }},
      {JfrType::kMethod, methods_.referenced(), [&] { WriteMethods(out, spill); }},
      {JfrType::kClass, classes_.referenced(), [&] { WriteClasses(out, spill); }},
      {JfrType::kClassLoader, loaders_.referenced(), [&] { WriteLoaders(out, spill); }},
      {JfrType::kSymbol, symbols_.referenced(), [&] { WriteSymbols(out, spill); }},
      {JfrType::kGCWhen, gc_when_is_referenced_ ? std::size(kGcWhens) : 0,
       [&] { WriteEntries(out, kGcWhens); }},
      {JfrType::kGCName, gc_names_.referenced(), [&] { WriteTexts(out, gc_names_); }},
      {JfrType::kGCCause, gc_causes_.referenced(), [&] { WriteTexts(out, gc_causes_); }},
  };
  uint32_t pool_count = 0;
  for (const Pool& pool : pools) pool_count += pool.count > 0;

  out.Varint(pool_count);
  for (const Pool& pool : pools) {
    if (pool.count == 0) continue;
    BeginPool(out, pool.type, pool.count);
    pool.write();
  }
}

void ConstantPools::WriteGroups(JfrEncoder& out, const std::function<void()>& spill) const {
  groups_.ForEachReferenced([&](uint32_t key, const GroupEntry& group) {
    out.Varint(key);
    out.Varint(group.parent_key);
    out.String(symbols_[group.name_key]);
    spill();
  });
}

void ConstantPools::WriteMethods(JfrEncoder& out, const std::function<void()>& spill) const {
  methods_.ForEachReferenced([&](uint32_t key, const MethodEntry& method) {
    out.Varint(key);
    out.Varint(method.class_key);
    out.Varint(method.name_key);
    out.Varint(method.descriptor_key);
    out.Varint(method.modifiers);
    out.Byte(method.hidden ? 1 : 0);
    spill();
  });
}

void ConstantPools::WriteClasses(JfrEncoder& out, const std::function<void()>& spill) const {
  classes_.ForEachReferenced([&](uint32_t key, const ClassEntry& type) {
    out.Varint(key);
    out.Varint(type.loader_key);
    out.Varint(type.name_key);
    out.Varint(0);  // package: not recorded
    out.Varint(type.modifiers);
    out.Byte(type.hidden ? 1 : 0);
    spill();
  });
}

void ConstantPools::WriteLoaders(JfrEncoder& out, const std::function<void()>& spill) const {
  loaders_.ForEachReferenced([&](uint32_t key, const LoaderEntry& loader) {
    out.Varint(key);
    out.Varint(loader.class_key);
    out.Varint(loader.name_key);
    spill();
  });
}

void ConstantPools::WriteSymbols(JfrEncoder& out, const std::function<void()>& spill) const {
  symbols_.ForEachReferenced([&](uint32_t key, const std::string& text) {
    out.Varint(key);
    out.Utf8(text);
    spill();
  });
}

size_t ConstantPools::size() const {
  return symbols_.size() + classes_.size() + methods_.size() + loaders_.size() + groups_.size() +
         gc_names_.size() + gc_causes_.size() + threads_.size();
}

void ConstantPools::BeginChunk() {
  threads_.BeginChunk();
  // Live threads keep their groups, and groups keep their names.
  threads_.ForEachGroup([this](uint32_t key) { ReferenceGroup(key); });
  groups_.ForEachReferenced(
      [this](uint32_t, const GroupEntry& group) { symbols_.Reference(group.name_key); });
  symbols_.BeginChunk();
  classes_.BeginChunk();
  methods_.BeginChunk();
  loaders_.BeginChunk();
  groups_.BeginChunk();
  gc_names_.BeginChunk();
  gc_causes_.BeginChunk();
  gc_when_is_referenced_ = false;
  stacks_.BeginChunk();
}

}  // namespace jprof
