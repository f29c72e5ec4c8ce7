import java.io.File;

/**
 * Loads a library whose constructor stops the profiler, while the thread holds the dynamic linker's
 * lock.
 *
 * <p>usage: StopWhileLoading agentLibrary startCommand nativeFolder
 *
 * <p>The environment variable JPROF_TEST_AGENT must name the agent's library, too. Truth:
 * answer.stop.
 */
public final class StopWhileLoading {
  private StopWhileLoading() {}

  public static void main(String[] args) {
    Profiler profiler = new Profiler(args[0], new File(args[2]));
    Work.print("answer.start", profiler.execute(args[1]));
    Work.burn(50_000_000);
    System.load(new File(args[2], "libstop_in_constructor.so").getPath());
    Work.print("answer.stop", answer());
  }

  private static native String answer();
}
