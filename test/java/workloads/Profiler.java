import java.io.File;

/** The profiler's C API, for programs that start and stop recordings themselves. */
final class Profiler {
  private final String agent;

  /** `agent` is the agent's library; `nativeFolder` contains libprofiler_control.so. */
  Profiler(String agent, File nativeFolder) {
    System.load(new File(nativeFolder, "libprofiler_control.so").getPath());
    this.agent = agent;
  }

  /** Returns the answer to a command; it starts with "failed: " if the command was refused. */
  String execute(String command) {
    return execute(agent, command);
  }

  private static native String execute(String agent, String command);
}
