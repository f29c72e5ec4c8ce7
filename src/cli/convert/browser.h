// OpenInBrowser: shows an address in the user's browser. Called on jprof's only thread.
#pragma once

#include <string>

#include "base/result.h"

namespace jprof {

// Starts the first command of $BROWSER, a list such as "firefox:chromium --app=%s", that can be
// started; xdg-open if $BROWSER is not set. Does not wait for the browser. The error is the reason
// why none was started. Without $BROWSER it fails for root, for whom browsers do not run, and
// without a display.
Status OpenInBrowser(const std::string& address);

}  // namespace jprof
