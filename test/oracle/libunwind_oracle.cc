#include "oracle/libunwind_oracle.h"

#include <libunwind.h>

#include <algorithm>
#include <cstring>

#include "elf/symbol_table.h"
#include "sigsafe/os/safe_load.h"

// libunwind exports this function for unwinders that read other processes (libunwind 1.6
// include/dwarf.h).
extern "C" int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t, unw_word_t, unw_dyn_info_t*,
                                                  unw_proc_info_t*, int, void*);

namespace jprof::test {

struct LibunwindOracle::Walk {
  const InterruptedPoint& point;
  const LibraryMap& loaded;
};

namespace {

const LibunwindOracle::Walk& Of(void* argument) {
  return *static_cast<const LibunwindOracle::Walk*>(argument);
}

// Reads the stack from the copy, and everything else (code, unwind information) from the memory of
// this process.
int AccessMemory(unw_addr_space_t, unw_word_t address, unw_word_t* value, int write,
                 void* argument) {
  if (write != 0) return -UNW_EINVAL;
  const InterruptedPoint& point = Of(argument).point;
  if (address >= point.stack_begin && point.stack_size >= sizeof *value &&
      address - point.stack_begin <= point.stack_size - sizeof *value) {
    memcpy(value, point.stack + (address - point.stack_begin), sizeof *value);
    return 0;
  }
  return SafeLoad(reinterpret_cast<const void*>(address), value) ? 0 : -UNW_EINVAL;
}

int AccessRegister(unw_addr_space_t, unw_regnum_t number, unw_word_t* value, int write,
                   void* argument) {
  constexpr int kIndex[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                            REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                            REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  if (write != 0 || number < 0 || number > UNW_X86_64_RIP) return -UNW_EBADREG;
  *value = static_cast<unw_word_t>(Of(argument).point.registers[kIndex[number]]);
  return 0;
}

int NoFloatingPoint(unw_addr_space_t, unw_regnum_t, unw_fpreg_t*, int, void*) {
  return -UNW_EBADREG;
}

// Uses the binary search table of .eh_frame_hdr, which every library on Linux has.
int FindProcedure(unw_addr_space_t space, unw_word_t pc, unw_proc_info_t* info, int need_info,
                  void* argument) {
  const Library* library = Of(argument).loaded.Find(Pc{pc});
  if (library == nullptr || library->frame_header.end == 0) return -UNW_ENOINFO;
  const uint64_t header = library->frame_header.begin;
  uint32_t count = 0;
  if (!SafeLoad(reinterpret_cast<const void*>(header + 8), &count)) return -UNW_ENOINFO;
  unw_dyn_info_t table = {};
  table.format = UNW_INFO_FORMAT_REMOTE_TABLE;
  table.start_ip = library->base;
  table.end_ip = library->top;
  table.u.rti.segbase = header;
  table.u.rti.table_data = header + 12;
  table.u.rti.table_len = count;  // in words of 8 bytes; an entry has two words of 4 bytes
  return UNW_OBJ(dwarf_search_unwind_table)(space, pc, &table, info, need_info, argument);
}

void PutProcedure(unw_addr_space_t, unw_proc_info_t*, void*) {}

int NoDynamicCode(unw_addr_space_t, unw_word_t*, void*) { return -UNW_ENOINFO; }

int NoName(unw_addr_space_t, unw_word_t, char*, size_t, unw_word_t*, void*) { return -UNW_ENOINFO; }

int NoResume(unw_addr_space_t, unw_cursor_t*, void*) { return -UNW_EINVAL; }

struct OracleWalk {
  std::vector<NativeFrameSeen> frames;
  int end = 0;  // result of the last unw_step
};

OracleWalk WalkByOracle(unw_addr_space_t space, LibunwindOracle::Walk* walk, size_t frames) {
  OracleWalk result;
  unw_cursor_t cursor;
  result.end = unw_init_remote(&cursor, space, walk);
  if (result.end != 0) return result;
  while (result.frames.size() < frames) {
    unw_word_t pc = 0;
    unw_word_t sp = 0;
    unw_get_reg(&cursor, UNW_REG_IP, &pc);
    unw_get_reg(&cursor, UNW_REG_SP, &sp);
    if (pc == 0) {
      result.end = 0;
      break;
    }
    result.frames.push_back({pc, sp});
    result.end = unw_step(&cursor);
    if (result.end <= 0) break;
  }
  return result;
}

std::string NameOf(const LibraryMap& loaded, uint64_t pc) {
  const Library* library = loaded.Find(Pc{pc});
  if (library == nullptr) return "generated code";
  std::string name = library->path.substr(library->path.rfind('/') + 1);
  const auto symbols = ResolveSymbols(*library, {pc - library->load_bias});
  if (symbols.ok() && !symbols.value().front().name.empty()) {
    name += ':' + symbols.value().front().name;
  }
  char offset[32];
  snprintf(offset, sizeof offset, "@%zx", static_cast<size_t>(pc - library->load_bias));
  return name + offset;
}

// True if the unwind information at `pc` has a rule for the caller's stack pointer. Our table then
// stores this rule in the place of the CFA.
bool HasRuleForStackPointer(uint64_t pc) {
  UnwindRule rule;
  return NativeCode::OfProcess().FindRule(pc, LoadFaults::kFatal, &rule) &&
         rule.cfa == CfaKind::kRegister && rule.return_address.kind == PlaceKind::kInRegister;
}

}  // namespace

LibunwindOracle::LibunwindOracle() : loaded_(LibraryMap::Snapshot()), space_(nullptr) {
  static unw_accessors_t accessors = {FindProcedure,  PutProcedure,    NoDynamicCode, AccessMemory,
                                      AccessRegister, NoFloatingPoint, NoResume,      NoName};
  space_ = unw_create_addr_space(&accessors, 0);
  // The return address after a function's last call can be the entry of the next function.
  // libunwind's cache does not distinguish the two (libunwind 1.6 src/dwarf/Gparser.c, rs_lookup),
  // so that it is not used.
  unw_set_caching_policy(static_cast<unw_addr_space_t>(space_), UNW_CACHE_NONE);
}

LibunwindOracle::~LibunwindOracle() {
  unw_destroy_addr_space(static_cast<unw_addr_space_t>(space_));
}

void LibunwindOracle::Compare(const InterruptedPoint& point, Agreement* agreement) {
  Walk walk{point, loaded_};
  // Asks libunwind for one frame more than ours, which would show that our walk ended too early.
  const bool is_guessed = point.frames_by_rule < point.frame_count;
  const size_t ours = point.frames_by_rule;
  const size_t wanted = ours + (is_guessed ? 0 : 1);
  const OracleWalk oracle = WalkByOracle(static_cast<unw_addr_space_t>(space_), &walk, wanted);

  ++agreement->points;
  if (point.end == StepOutcome::kOutermost) ++agreement->rooted;
  const Library* interrupted = loaded_.Find(Pc{point.frames[0].pc});
  ++agreement->libraries[interrupted == nullptr
                             ? "generated code"
                             : interrupted->path.substr(interrupted->path.rfind('/') + 1)];
  const size_t common = std::min(oracle.frames.size(), ours);
  agreement->frames += common;
  for (size_t i = 0; i < common; ++i) {
    const bool same_pc = oracle.frames[i].pc == point.frames[i].pc;
    if (same_pc && oracle.frames[i].sp == point.frames[i].sp) continue;
    if (HasRuleForStackPointer(point.frames[0].pc)) {
      ++agreement->known_faults;
      return;
    }
    std::string where;
    for (size_t j = 0; j < i; ++j) where += NameOf(loaded_, point.frames[j].pc) + " <- ";
    ++agreement->disagreements[where + (same_pc ? "another sp" : "another pc") + ": ours " +
                               NameOf(loaded_, point.frames[i].pc) + ", libunwind's " +
                               NameOf(loaded_, oracle.frames[i].pc)];
    return;
  }
  if (oracle.frames.size() < ours) {
    ++agreement->disagreements["libunwind ends (" + std::to_string(oracle.end) + ") at " +
                               NameOf(loaded_, oracle.frames.back().pc)];
  } else if (is_guessed) {
    ++agreement->guesses[NameOf(loaded_, point.frames[ours - 1].pc)];
  } else if (oracle.frames.size() > ours ||
             (oracle.end == 0) != (point.end == StepOutcome::kOutermost)) {
    ++agreement->disagreements["NativeCursor ends (" + std::to_string(static_cast<int>(point.end)) +
                               ", libunwind " + std::to_string(oracle.end) + ") at " +
                               NameOf(loaded_, point.frames[point.frame_count - 1].pc)];
  } else {
    ++agreement->agreed;
  }
}

std::string Agreement::Text() const {
  std::string text = std::to_string(points) + " points, " + std::to_string(frames) + " frames, " +
                     std::to_string(agreed) + " agreed, " + std::to_string(rooted) + " rooted, " +
                     std::to_string(known_faults) + " at a known fault of libunwind\n";
  for (const auto& [name, count] : libraries) {
    text += "  interrupted in " + name + ": " + std::to_string(count) + "\n";
  }
  for (const auto& [name, count] : guesses) {
    text += "  " + std::to_string(count) + " times no information on " + name + "\n";
  }
  for (const auto& [name, count] : disagreements) {
    text += "  " + std::to_string(count) + " times: " + name + "\n";
  }
  return text;
}

}  // namespace jprof::test
