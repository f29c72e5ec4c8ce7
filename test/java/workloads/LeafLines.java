/**
 * Runs two loops of the same work, the second three times as long as the first, in a method that
 * calls nothing.
 *
 * <p>usage: LeafLines millis
 */
public final class LeafLines {
  private static final int ITERATIONS = 1000;
  private static final long FACTOR = 6364136223846793005L;

  private LeafLines() {}

  public static void main(String[] args) {
    long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000;
    long value = 1;
    while (System.nanoTime() < end) value = loops(value, ITERATIONS, 3 * ITERATIONS);
    Work.sink += value;
  }

  private static long loops(long value, int few, int many) {
    for (int i = 0; i < few; i++) value = value * FACTOR + 3;
    for (int i = 0; i < many; i++) value = value * FACTOR + 5;
    return value;
  }
}
