#include "chunks/native_names.h"

#include <algorithm>
#include <memory>

#include "base/log.h"
#include "base/memory_reserve.h"
#include "base/modified_utf8.h"
#include "base/placeholders.h"
#include "elf/symbol_table.h"

namespace jprof {
namespace {

constexpr char kNoLibrary[] = "generated code";
constexpr char kForgottenLibrary[] = "unloaded library";

std::string UnknownSymbol() { return std::string(Text(Placeholder::kUnknownSymbol)); }

// Strips the brackets of a name like "[vdso]": JMC would parse a name with brackets as that of an
// array class.
std::string WithoutBrackets(const std::string& name) {
  const bool has_both = name.size() > 2 && name.front() == '[' && name.back() == ']';
  return has_both ? name.substr(1, name.size() - 2) : name;
}

// Returns the file name in UTF-8: a recording holds UTF-8, while paths can hold any bytes.
std::string FileName(const std::string& path) {
  return WithoutBrackets(Utf8FromModifiedUtf8(path.substr(path.rfind('/') + 1)));
}

Result<std::vector<ResolvedSymbol>> SymbolsOf(const LoadedCode& code,
                                              const std::vector<uint64_t>& addresses) {
  if (code.image == nullptr) return ResolveSymbols(code.library, addresses);
  return ResolveSymbols(code.library, &code.image->elf(), addresses);
}

}  // namespace

void NativeNames::LookAtLibraries() {
  history_.Update();
  history_.KeepFiles();
  for (const std::shared_ptr<LoadedCode>& code : history_.TakeUnloaded()) {
    const auto unresolved = unresolved_.extract(code->id);
    if (!unresolved.empty()) Resolve(unresolved.mapped());
    code->image.reset();
  }
}

void NativeNames::LearnUntil(Nanos time_ns) {
  if (time_ns > history_.known_until_ns()) history_.Update();
}

NativeNames::CodeId NativeNames::CodeAt(Pc pc, Nanos time_ns) {
  if (const auto code = history_.At(pc, time_ns)) return {code->id, 0};
  return {0, stubs_.Find(Value(pc), time_ns).id};
}

uint64_t NativeNames::EraAt(Nanos time_ns) {
  LearnUntil(time_ns);
  return history_.EraAt(time_ns) + stubs_.EraAt(time_ns);
}

bool NativeNames::IsSame(Pc pc, Nanos one_ns, Nanos other_ns) {
  LearnUntil(std::max(one_ns, other_ns));
  return CodeAt(pc, one_ns) == CodeAt(pc, other_ns);
}

void NativeNames::Note(Pc pc, Nanos time_ns) {
  LearnUntil(time_ns);
  const CodeId code = CodeAt(pc, time_ns);
  std::list<NameOfCode>* names = names_.Find(Value(pc));
  if (names != nullptr && std::ranges::count(*names, code, &NameOfCode::code) != 0) return;
  if (names == nullptr) names = &names_.Set(Value(pc), {});
  has_reused_addresses_ |= !names->empty();
  const std::shared_ptr<const LoadedCode> library = history_.At(pc, time_ns);
  names->push_back({code, MakeName(pc, time_ns, library.get())});
  if (library == nullptr) return;
  Unresolved& unresolved = unresolved_[library->id];
  unresolved.code = library;
  unresolved.names.emplace_back(Value(pc), &names->back().name);
}

NativeName NativeNames::MakeName(Pc pc, Nanos time_ns, const LoadedCode* code) {
  if (code != nullptr) return {FileName(code->library.path), UnknownSymbol()};
  const StubName stub = stubs_.Find(Value(pc), time_ns);
  if (!stub.name.empty()) return {kNoLibrary, Utf8FromModifiedUtf8(stub.name)};
  return {history_.IsForgotten(time_ns) ? kForgottenLibrary : kNoLibrary, UnknownSymbol()};
}

void NativeNames::Resolve() {
  for (const auto& [id, unresolved] : std::exchange(unresolved_, {})) {
    if (MemoryIsShort()) return;
    Resolve(unresolved);
  }
}

void NativeNames::Resolve(const Unresolved& unresolved) {
  const Library& library = unresolved.code->library;
  std::vector<uint64_t> addresses;
  addresses.reserve(unresolved.names.size());
  for (const auto& [pc, name] : unresolved.names) addresses.push_back(pc - library.load_bias);
  const Result<std::vector<ResolvedSymbol>> symbols = SymbolsOf(*unresolved.code, addresses);
  if (!symbols) {
    Log::Debug("no symbols of %s: %s", library.path.c_str(), symbols.error().message().c_str());
    return;
  }
  for (size_t i = 0; i < addresses.size(); ++i) {
    const std::string& symbol = symbols.value()[i].name;
    if (!symbol.empty()) unresolved.names[i].second->symbol = Utf8FromModifiedUtf8(symbol);
  }
}

// Skips the search for the code at `time_ns` if the address has only one name, as nearly all
// addresses have.
const NativeName& NativeNames::Of(Pc pc, Nanos time_ns) {
  std::list<NameOfCode>* const names = names_.Find(Value(pc));
  JPROF_CHECK(names != nullptr && !names->empty());
  if (names->size() == 1) return names->front().name;
  const auto found = std::ranges::find(*names, CodeAt(pc, time_ns), &NameOfCode::code);
  return found != names->end() ? found->name : names->front().name;
}

const NativeName& NativeNames::OfKernel(Pc pc) {
  if (!kernel_) {
    kernel_modules_ = KernelSymbols::LoadedModules();
    Result<KernelSymbols> symbols = KernelSymbols::Read();
    if (!symbols) Log::Warn("no names of kernel frames: %s", symbols.error().message().c_str());
    kernel_ = symbols ? std::move(symbols).value() : KernelSymbols("");
  }
  if (const NativeName* known = kernel_names_.Find(Value(pc))) return *known;
  KernelSymbol symbol = kernel_->Of(Value(pc));
  return kernel_names_.Set(Value(pc), {WithoutBrackets(symbol.module), std::move(symbol.name)});
}

void NativeNames::BeginChunk() {
  JPROF_CHECK(unresolved_.empty());
  names_.BeginGeneration();
  kernel_names_.BeginGeneration();
  ForgetOldKernel();
  history_.BeginChunk();
}

void NativeNames::ForgetOldKernel() {
  if (!kernel_ || KernelSymbols::LoadedModules() == kernel_modules_) return;
  kernel_.reset();
  kernel_names_ = {};
}

}  // namespace jprof
