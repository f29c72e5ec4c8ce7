/**
 * A thread that is late for safepoints, and a thread that requests them.
 *
 * <p>usage: Safepoints rounds
 *
 * <p>The late thread copies large arrays. Each copy is one call into the VM, which does not poll.
 * Truth: copies.
 */
public final class Safepoints {
  private static final int ELEMENTS = 16 << 20;

  private static volatile boolean isOver;
  private static long copies;

  private Safepoints() {}

  static void delay(int[] from, int[] to) {
    System.arraycopy(from, 0, to, 0, ELEMENTS);
  }

  private static void copy() {
    int[] from = new int[ELEMENTS];
    int[] to = new int[ELEMENTS];
    while (!isOver) {
      delay(from, to);
      ++copies;
    }
  }

  public static void main(String[] args) throws Exception {
    Thread late = Work.start("late", Safepoints::copy);
    for (int round = Integer.parseInt(args[0]); round > 0; --round) {
      Thread.sleep(7);
      System.gc();
    }
    isOver = true;
    late.join();
    Work.print("copies", copies);
  }
}
