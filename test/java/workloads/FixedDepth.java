/**
 * Calls a method in a loop, at a fixed depth of the stack: main, `depth` frames of down, spin, leaf.
 *
 * <p>usage: FixedDepth seconds depth
 */
public final class FixedDepth {
  private FixedDepth() {}

  private static long sum;

  public static void main(String[] args) {
    long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000;
    down(end, Integer.parseInt(args[1]));
    System.out.println("sum " + sum);
  }

  private static void down(long end, int depth) {
    if (depth == 1) {
      spin(end);
    } else {
      down(end, depth - 1);
    }
  }

  private static void spin(long end) {
    while (System.nanoTime() < end) {
      for (int i = 0; i < 10_000; i++) sum = sum * 31 + i;
      sum += leaf(sum);
    }
  }

  private static long leaf(long x) {
    return x >>> 7;
  }
}
