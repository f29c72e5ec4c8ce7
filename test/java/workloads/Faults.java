import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes the JVM handle faults as in normal operation: null pointers in compiled code, stack
 * overflows, and safepoints, at which threads in loops are stopped by a fault.
 *
 * <p>usage: Faults nulls overflows
 *
 * <p>Truth: nulls and overflows, how many were caught; wrong, the number of unexpected results;
 * safepoints, how many were requested.
 */
public final class Faults {
  private static final int THREADS = 2;
  private static final AtomicLong NULLS = new AtomicLong();
  private static final AtomicLong OVERFLOWS = new AtomicLong();
  private static final AtomicLong WRONG = new AtomicLong();

  private static long safepoints;

  private int value = 3;

  private Faults() {}

  public static void main(String[] args) throws InterruptedException {
    meet(Integer.parseInt(args[0]), Integer.parseInt(args[1]));
    printTruth();
  }

  /** Causes so many null pointers and stack overflows while safepoints are requested. */
  static void meet(int nulls, int overflows) throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      threads.add(Work.start("nulls-" + i, () -> meetNulls(nulls / THREADS)));
    }
    threads.add(Work.start("overflow", () -> overflow(overflows)));
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        System.gc();
        safepoints++;
        thread.join(20);
      }
    }
  }

  /** Prints the numbers of all faults until now. */
  static void printTruth() {
    Work.print("nulls", NULLS.get());
    Work.print("overflows", OVERFLOWS.get());
    Work.print("wrong", WRONG.get());
    Work.print("safepoints", safepoints);
  }

  private static void meetNulls(int count) {
    Faults[] objects = {new Faults(), null};
    long caught = 0;
    long sum = 0;
    for (int i = 0; caught < count; i++) {
      try {
        sum += valueOf(objects[i & 1]);
      } catch (NullPointerException expected) {
        caught++;
      }
    }
    NULLS.addAndGet(caught);
    WRONG.addAndGet(sum == 3L * count ? 0 : 1);
  }

  private static int valueOf(Faults object) {
    return object.value;
  }

  private static void overflow(int count) {
    for (int i = 0; i < count; i++) {
      try {
        WRONG.addAndGet(endless(0) > 0 ? 1 : 2);
      } catch (StackOverflowError expected) {
        OVERFLOWS.incrementAndGet();
      }
    }
  }

  private static long endless(long depth) {
    return endless(depth + 1) + 1;
  }
}
