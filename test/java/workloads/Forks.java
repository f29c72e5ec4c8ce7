import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Forks children that never call exec, while native threads start and end and a Java thread burns
 * CPU time. Each child tries to stop the profiler of its parent. Forks agent seconds: runs for this
 * time, and for at least two hundred children.
 *
 * <p>Truth: children that hung, children that ended in a wrong way, cpu.busy (the Java thread's
 * clock).
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
