import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Forks children that never call exec, while native threads start and end and a Java thread burns
 * CPU time. Each child tries to stop the profiler that it has inherited from its parent.
 *
 * <p>usage: Forks agentLibrary seconds: runs for this time, and for at least two hundred children
 *
 * <p>Truth: hung, the children that hung; otherwise, the children that ended wrongly; cpu.busy, the
 * clock of the Java thread.
 */
public final class Forks {
  private static final int CHILDREN = 200;
  private static final long TURN_NANOS = 1_000_000;

  private Forks() {}

  public static void main(String[] args) throws InterruptedException {
    System.loadLibrary("forks");
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Long.parseLong(args[1]));
    AtomicBoolean ended = new AtomicBoolean();
    Thread busy =
        Work.start(
            "busy",
            () -> {
              while (!ended.get()) {
                Work.burn(TURN_NANOS);
              }
              Work.print("cpu.busy", Work.cpuNanos());
            });
    int hung = 0;
    int otherwise = 0;
    do {
      int[] counts = fork(CHILDREN, args[0]);
      hung += counts[0];
      otherwise += counts[1];
    } while (hung == 0 && System.nanoTime() < end);
    ended.set(true);
    busy.join();
    Work.print("hung", hung);
    Work.print("otherwise", otherwise);
  }

  private static native int[] fork(int children, String agent);
}
