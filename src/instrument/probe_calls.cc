#include "instrument/probe_calls.h"

#include "instrument/bytes.h"
#include "instrument/code.h"

namespace jprof::instrument {
namespace {

constexpr uint32_t kMaxShort = 32767;
constexpr uint32_t kMaxNarrowLocal = 255;

// Returns code that pushes the id. It uses no constant of the pool: HotSpot keeps the constants of
// all versions of a class (jdk-25+36 src/hotspot/share/prims/jvmtiRedefineClasses.cpp,
// merge_cp_and_rewrite), and each recording has numbers of its own.
std::vector<uint8_t> PushId(uint32_t id) {
  ByteWriter code;
  const auto low = static_cast<int16_t>(id);
  if (id > kMaxShort) {
    constexpr uint32_t kShift = 16;
    code.U1(kOp_sipush);
    code.U2((id - static_cast<uint32_t>(low)) >> kShift);
    code.U1(kOp_bipush);
    code.U1(kShift);
    code.U1(kOp_ishl);
  }
  code.U1(kOp_sipush);
  code.U2(static_cast<uint16_t>(low));
  if (id > kMaxShort) code.U1(kOp_iadd);
  return code.Release();
}

void AccessLocal(ByteWriter& code, Opcode opcode, uint32_t local) {
  if (local <= kMaxNarrowLocal) {
    code.U1(opcode);
    code.U1(local);
  } else {
    code.U1(kOp_wide);
    code.U1(opcode);
    code.U2(local);
  }
}

Opcode LoadOf(std::string_view type) {
  switch (type.front()) {
    case 'J':
      return kOp_lload;
    case 'F':
      return kOp_fload;
    case 'D':
      return kOp_dload;
    case 'L':
    case '[':
      return kOp_aload;
    default:
      return kOp_iload;
  }
}

void InvokeStatic(ByteWriter& code, uint16_t method) {
  code.U1(kOp_invokestatic);
  code.U2(method);
}

}  // namespace

std::optional<TargetMethods> TargetMethods::Add(const ProbeTarget& target, ConstantPool& pool) {
  bool is_full = false;
  const auto add = [&](const NameAndType& method) -> uint16_t {
    if (method.name.empty()) return 0;
    const uint16_t index = pool.AddMethod(target.class_name, method.name, method.descriptor);
    is_full |= index == 0;
    return index;
  };
  const TargetMethods methods = {
      .entry = add(target.entry), .exit = add(target.exit), .exception = add(target.exception)};
  if (is_full) return std::nullopt;
  return methods;
}

ParameterLoads::ParameterLoads(const MethodDescriptor& descriptor) {
  ByteWriter pushes;
  for (const std::string_view type : descriptor.parameters) {
    AccessLocal(pushes, LoadOf(type), slots);
    slots += SlotsOf(type);
    types += type;
  }
  code = pushes.Release();
}

ParameterLoads ParameterLoads::This() {
  ParameterLoads loads;
  ByteWriter push;
  AccessLocal(push, kOp_aload, 0);
  loads.code = push.Release();
  loads.slots = 1;
  return loads;
}

ProbeCalls ProbeCalls::Make(const TargetMethods& methods, const ParameterLoads& loads, uint32_t id,
                            uint32_t token) {
  const std::vector<uint8_t> push_id = PushId(id);

  ByteWriter entry;
  entry.Append(loads.code);
  entry.Append(push_id);
  InvokeStatic(entry, methods.entry);
  AccessLocal(entry, kOp_lstore, token);

  const auto end = [&](ByteWriter& code, uint16_t method) {
    code.Append(push_id);
    AccessLocal(code, kOp_lload, token);
    InvokeStatic(code, method);
  };
  ByteWriter exit;
  if (methods.exit != 0) end(exit, methods.exit);

  ByteWriter handler;
  if (methods.exception != 0) {
    handler.U1(kOp_dup);
    end(handler, methods.exception);
    handler.U1(kOp_athrow);
  }
  return {entry.Release(), exit.Release(), handler.Release(), loads.slots};
}

}  // namespace jprof::instrument
