import java.io.File;

/**
 * Starts a recording while threads are busy.
 *
 * <p>usage: LateLock agentLibrary nativeFolder startCommand millis
 *
 * <p>The threads "busy-0" and "busy-1" burn from before the start, for `millis` after it, and until
 * after the stop. Truth: answer.start, answer.stop.
 */
public final class LateLock {
  private static volatile boolean isDone;

  private LateLock() {}

  public static void main(String[] args) throws Exception {
    Profiler profiler = new Profiler(args[0], new File(args[1]));
    Thread[] busy = new Thread[2];
    for (int i = 0; i < busy.length; i++) {
      busy[i] = Work.start("busy-" + i, LateLock::burn);
    }
    Thread.sleep(100);
    Work.print("answer.start", profiler.execute(args[2]));
    Thread.sleep(Long.parseLong(args[3]));
    Work.print("answer.stop", profiler.execute("stop"));
    isDone = true;
    for (Thread thread : busy) {
      thread.join();
    }
  }

  private static void burn() {
    while (!isDone) {
      Work.spin(1000);
    }
  }
}
