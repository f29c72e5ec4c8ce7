import java.io.File;

/**
 * Threads in nested thread groups: outer is a group in the group of main, inner one in outer.
 *
 * <p>usage: NestedGroups agentLibrary start nativeFolder
 *
 * <p>The thread early begins before the recording, late during the recording. Both use CPU time in
 * the recording.
 */
public final class NestedGroups {
  private static volatile boolean isOver;

  private NestedGroups() {}

  public static void main(String[] args) throws InterruptedException {
    ThreadGroup inner = new ThreadGroup(new ThreadGroup("outer"), "inn\u00e9r");
    Profiler profiler = new Profiler(args[0], new File(args[2]));
    Thread early = start(inner, "early");
    String answer = profiler.execute(args[1]);
    if (answer.startsWith("failed")) throw new IllegalStateException(answer);
    Thread late = start(inner, "late");
    Work.burn(100_000_000);
    isOver = true;
    early.join();
    late.join();
    profiler.execute("stop");
    Work.print("ended", 1);
  }

  private static Thread start(ThreadGroup group, String name) {
    Thread thread =
        new Thread(
            group,
            () -> {
              do {
                Work.burn(50_000_000);
              } while (!isOver);
            },
            name);
    thread.start();
    return thread;
  }
}
