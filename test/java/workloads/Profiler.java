import java.io.File;

/** The profiler's C API, for programs that start and stop it by themselves. */
final class Profiler {
  private final String agent;

  /** The library `agent`; `nativeFolder` is where libprofiler_control.so is. */
  Profiler(String agent, File nativeFolder) {
    System.load(new File(nativeFolder, "libprofiler_control.so").getPath());
    this.agent = agent;
  }

  /** The answer to a command; begins with "failed: " if it was refused. */
  String execute(String command) {
    return execute(agent, command);
  }

  private static native String execute(String agent, String command);
}
