/**
 * Overflows the stack again and again, by calls that all end with the error.
 *
 * <p>usage: Overflows TIMES. Prints entered, the number of calls whose first statement ran.
 */
public final class Overflows {
  static long entered;

  static int sink;

  static int deeper(int depth) {
    ++entered;
    return deeper(depth + 1) + depth;
  }

  /** For each depth, makes the stack overflow at another place within a call of deeper(). */
  static int pad(int depth, long a, long b) {
    return depth == 0 ? deeper(0) : pad(depth - 1, b, a) + 1;
  }

  public static void main(String[] args) {
    for (int i = Integer.parseInt(args[0]); i > 0; --i) {
      try {
        sink = pad(i % 16, i, i);
      } catch (StackOverflowError expected) {
        sink = i;
      }
    }
    Work.print("entered", entered);
  }
}
