import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;

/**
 * Calls a method in a loop, at a fixed depth of the stack: main, `depth` frames of down, spin, leaf.
 * Ends after a second, but not before the file has so many lines.
 *
 * <p>usage: FixedDepth depth file lines
 */
public final class FixedDepth {
  private FixedDepth() {}

  private static long sum;

  public static void main(String[] args) throws IOException {
    int depth = Integer.parseInt(args[0]);
    long lines = Long.parseLong(args[2]);
    do {
      down(System.nanoTime() + 1_000_000_000, depth);
    } while (lines > 0 && Files.readAllLines(Paths.get(args[1])).size() < lines);
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
