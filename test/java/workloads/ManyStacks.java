import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Threads many-0, many-1, ... that are always deep in a recursion. Its path is hardly ever the same
 * twice.
 *
 * <p>usage: ManyStacks threads depth millis
 */
public final class ManyStacks {
  private static final long STACK_BYTES = 256L << 20;

  private ManyStacks() {}

  public static void main(String[] args) throws InterruptedException {
    int threads = Integer.parseInt(args[0]);
    int depth = Integer.parseInt(args[1]);
    long end = System.nanoTime() + Long.parseLong(args[2]) * 1_000_000;
    List<Thread> started = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      SplittableRandom random = new SplittableRandom(i);
      Runnable body =
          () -> {
            while (System.nanoTime() < end) {
              Work.sink += left(depth, random);
            }
          };
      Thread thread = new Thread(null, body, "many-" + i, STACK_BYTES);
      thread.start();
      started.add(thread);
    }
    Work.join(started);
  }

  static long left(int left, SplittableRandom random) {
    return turn(left, random) + 1;
  }

  static long right(int left, SplittableRandom random) {
    return turn(left, random) + 2;
  }

  private static long turn(int left, SplittableRandom random) {
    if (left <= 0) {
      long value = 0;
      for (int i = 0; i < 100_000; i++) {
        value = value * 31 + i;
      }
      return value;
    }
    return random.nextBoolean() ? left(left - 1, random) : right(left - 1, random);
  }
}
