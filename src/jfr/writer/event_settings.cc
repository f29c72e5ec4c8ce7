#include "jfr/writer/event_settings.h"

#include <algorithm>
#include <utility>

#include "jfr/writer/jfr_writer.h"
#include "sigsafe/base/check.h"

namespace jprof {

void EventSettings::Enable(JfrType event) {
  JPROF_CHECK(IsEvent(event));
  for (const Enabled& enabled : enabled_) {
    if (enabled.event == event) return;
  }
  enabled_.push_back({event, kNever});
}

void EventSettings::Set(JfrType event, std::string name, std::string value) {
  JPROF_CHECK(IsEvent(event));
  for (Setting& setting : settings_) {
    if (setting.event == event && setting.name == name) {
      setting.value = std::move(value);
      return;
    }
  }
  settings_.push_back({event, std::move(name), std::move(value)});
}

bool EventSettings::Has(JfrType event, std::string_view name) const {
  return std::ranges::any_of(settings_, [&](const Setting& setting) {
    return setting.event == event && setting.name == name;
  });
}

EventDeclarations EventSettings::Declarations() const {
  EventDeclarations declarations;
  for (const Enabled& enabled : enabled_) declarations.Declare(enabled.event);
  for (const Setting& setting : settings_) declarations.Declare(setting.event);
  return declarations;
}

void EventSettings::BeginFile() {
  for (Enabled& enabled : enabled_) enabled.chunk = kNever;
}

void EventSettings::WriteTo(JfrWriter& writer, int64_t time_ns) {
  // If the previous chunk could not be sealed, sealed_chunks() is unchanged, and the settings
  // `enabled` of that chunk are written again.
  const int64_t chunk = writer.sealed_chunks();
  for (Enabled& enabled : enabled_) {
    if (enabled.chunk != kNever && enabled.chunk != chunk) continue;
    writer.Append(ActiveSetting{time_ns, TypeId(enabled.event), "enabled", "true"});
    enabled.chunk = chunk;
  }
  for (const Setting& setting : settings_) {
    writer.Append(ActiveSetting{time_ns, TypeId(setting.event), setting.name, setting.value});
  }
}

}  // namespace jprof
