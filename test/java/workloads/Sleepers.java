import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads sleeper-0, sleeper-1, ... that do nothing for a while. Each does this in one of three
 * ways: sleep, park, wait.
 *
 * <p>usage: Sleepers threads millis
 *
 * <p>Truth: wall.sleeper-N, the nanoseconds from its first to its last statement.
 */
public final class Sleepers {
  private Sleepers() {}

  public static void main(String[] args) throws InterruptedException {
    int threads = Integer.parseInt(args[0]);
    long millis = Long.parseLong(args[1]);
    List<Thread> started = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      String name = "sleeper-" + i;
      int way = i % 3;
      started.add(Work.start(name, () -> rest(name, way, millis)));
    }
    Work.join(started);
  }

  private static void rest(String name, int way, long millis) {
    long start = System.nanoTime();
    try {
      if (way == 0) {
        sleep(millis);
      } else if (way == 1) {
        park(start + millis * 1_000_000);
      } else {
        await(millis);
      }
    } catch (InterruptedException unexpected) {
      throw new IllegalStateException(unexpected);
    }
    Work.print("wall." + name, System.nanoTime() - start);
  }

  static void sleep(long millis) throws InterruptedException {
    Thread.sleep(millis);
  }

  static void park(long deadline) {
    long left;
    while ((left = deadline - System.nanoTime()) > 0) {
      LockSupport.parkNanos(left);
    }
  }

  static void await(long millis) throws InterruptedException {
    Object monitor = new Object();
    synchronized (monitor) {
      monitor.wait(millis);
    }
  }
}
