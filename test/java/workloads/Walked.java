import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

/**
 * Threads that do many different things until the agent walk_probe has walked their stacks often
 * enough. Each thing is repeated, and always has the same result.
 *
 * <p>Truth: rounds; wrong, how many of them had another result than the first.
 */
public final class Walked {
  private static final AtomicLong ROUNDS = new AtomicLong();
  private static final AtomicLong WRONG = new AtomicLong();
  private static final int DEEP = 400;

  private Walked() {}

  public static void main(String[] args) throws Exception {
    List<Thread> threads = new ArrayList<>();
    start(threads, "sorter", Walked::sort);
    start(threads, "texts", Walked::texts);
    start(threads, "thrower", Walked::throwAndCatch);
    start(threads, "recursion", () -> descend(DEEP));
    start(threads, "natives", Walked::throughNativeCode);
    start(threads, "allocator", Walked::allocate);
    start(threads, "loader", Walked::loadAndUnload);
    start(threads, "overflow", Walked::overflowTheStack);
    startVirtual(threads);
    WalkProbe.begin();
    Work.join(threads);
    Work.print("rounds", ROUNDS.get());
    Work.print("wrong", WRONG.get());
  }

  private static void start(List<Thread> threads, String name, LongSupplier work) {
    long expected = work.getAsLong();
    threads.add(Work.start(name, () -> repeat(work, expected)));
  }

  private static void repeat(LongSupplier work, long expected) {
    while (!WalkProbe.isDone()) {
      if (work.getAsLong() != expected) {
        WRONG.incrementAndGet();
      }
      ROUNDS.incrementAndGet();
    }
  }

  /** Starts virtual threads that yield to each other, if the JDK has them. */
  private static void startVirtual(List<Thread> threads) throws Exception {
    if (!PlainOrVirtual.hasVirtual()) {
      return;
    }
    long expected = turns(20);
    for (int i = 0; i < 4; i++) {
      threads.add(
          PlainOrVirtual.start(true, "virtual-" + i, () -> repeat(() -> turns(20), expected)));
    }
  }

  private static long turns(int left) {
    if (left == 0) {
      return 1;
    }
    Thread.yield();
    return 31 * turns(left - 1) + left;
  }

  private static long sort() {
    long[] values = new long[5_000];
    long value = 42;
    for (int i = 0; i < values.length; i++) {
      value = value * 6364136223846793005L + 1442695040888963407L;
      values[i] = value;
    }
    Arrays.sort(values);
    return Arrays.hashCode(values);
  }

  private static long texts() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 40; i++) {
      text.append(String.format(Locale.ROOT, "%05d %x,", i, i * 31));
    }
    boolean found = Pattern.compile("(\\d+) ([0-9a-f]+,)+").matcher(text).find();
    return text.toString().hashCode() + (found ? 1 : 0);
  }

  private static long throwAndCatch() {
    long caught = 0;
    Object[] objects = {"text", null, new int[1], null};
    for (int i = 0; i < 2_000; i++) {
      try {
        caught += objects[i & 3].hashCode() == 0 ? 0 : 1;
      } catch (NullPointerException expected) {
        caught += 1_000;
      }
      try {
        caught += ((int[]) objects[i & 2])[1];
      } catch (ClassCastException | ArrayIndexOutOfBoundsException expected) {
        caught += 1_000_000;
      }
    }
    return caught;
  }

  private static long descend(int left) {
    return left == 0 ? Arrays.hashCode(new long[200]) : descend(left - 1) * 31 + left;
  }

  private static long throughNativeCode() {
    return WalkProbe.callBack(() -> WalkProbe.callBack(Walked::sort) + descend(20));
  }

  private static long allocate() {
    long[][] kept = new long[64][];
    for (int i = 0; i < 4_000; i++) {
      kept[i & 63] = new long[100 + (i & 15)];
      kept[i & 63][i & 31] = i;
    }
    return Arrays.deepHashCode(kept);
  }

  /**
   * Loads a class that did not exist before. This invalidates compiled code that relied on its
   * absence.
   */
  private static long loadAndUnload() {
    LongSupplier loaded = ClassUnloader.freshThrowaway(20_000);
    long sum = 0;
    LongSupplier[] both = {loaded, () -> 5};
    for (int i = 0; i < 3_000; i++) {
      sum += both[i & 1] == loaded ? 3 : both[i & 1].getAsLong();
    }
    return sum + (loaded.getAsLong() > 0 ? 1 : 0);
  }

  private static long overflowTheStack() {
    try {
      return endless(0);
    } catch (StackOverflowError expected) {
      return 7;
    }
  }

  private static long endless(long depth) {
    return endless(depth + 1) + 1;
  }
}
