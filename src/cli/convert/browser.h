// OpenInBrowser: shows an address to the user. jprof's one thread.
#pragma once

#include <string>

#include "base/result.h"

namespace jprof {

// $BROWSER, a list of commands as "firefox:chromium --app=%s", else xdg-open. Does not wait for the
// browser. The error is why there is none: for root, for whom browsers do not run, and without a
// display only $BROWSER is started.
Status OpenInBrowser(const std::string& address);

}  // namespace jprof
