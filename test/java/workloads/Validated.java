import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Calls methods in all ways that a compiler treats differently: recursive, inlined, virtual,
 * synchronized, native, ended by exceptions, in lambdas and streams, and until the stack is full.
 *
 * <p>usage: Validated seconds [overflow]
 */
public final class Validated {
  private Validated() {}

  interface Step {
    long apply(long x);
  }

  public static void main(String[] args) {
    long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000;
    boolean overflows = args.length > 1;
    Random random = new Random(1);
    long sum = 0;
    for (int i = 0; System.nanoTime() < end; i++) {
      sum += fib(12) + chain(x -> x + 1, i, 8) + sorted(random) + joined(20) + caught(i);
      sum += IntStream.range(0, 30).map(x -> x * 3).filter(x -> x % 2 == 0).sum();
      sum += (long) (Math.sin(i) * 100) + locked(i);
      if (overflows && i % 20_000 == 0) sum += overflow();
    }
    System.out.println("sum " + (sum == 0 ? 1 : sum));
  }

  private static int fib(int n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
  }

  private static long chain(Step step, long x, int depth) {
    return depth == 0 ? step.apply(x) : chain(step, x, depth - 1) ^ mixed(x);
  }

  private static long mixed(long x) {
    return Long.rotateLeft(x * 31 + 7, 5);
  }

  private static long sorted(Random random) {
    int[] numbers = random.ints(60).toArray();
    Arrays.sort(numbers);
    return numbers[0];
  }

  private static long joined(int count) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < count; i++) text.append(i).append(',');
    return text.toString().hashCode();
  }

  private static int caught(int i) {
    try {
      return thrown(i % 9, i);
    } catch (IllegalStateException expected) {
      return new Object().hashCode() & 1;
    }
  }

  private static int thrown(int depth, int i) {
    if (depth == 0 && i % 3 == 0) throw new IllegalStateException();
    return depth == 0 ? i : thrown(depth - 1, i) + 1;
  }

  private static synchronized long locked(long x) {
    return x & 3;
  }

  private static int overflow() {
    try {
      return deeper(0);
    } catch (StackOverflowError expected) {
      return 1;
    }
  }

  private static int deeper(int n) {
    return n + deeper(n + 1);
  }
}
