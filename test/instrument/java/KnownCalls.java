import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.function.IntUnaryOperator;

/**
 * Calls methods of every kind a known number of times, then prints the counts.
 *
 * <p>usage: KnownCalls [METHODS]
 */
public class KnownCalls {
  static final int CALLS = 1000;
  static int sink;

  static class Failure extends RuntimeException {
    private static final long serialVersionUID = 1;

    Failure(String message) {
      super(message, null, false, false);
    }
  }

  static class Base {
    final int value;

    Base(int value) {
      if (value % 4 == 0) throw new Failure("super()");
      this.value = value;
    }
  }

  static class Derived extends Base implements Callable<Integer> {
    Derived(int value) {
      super(value % 2 == 0 ? new int[] {value}[0] : value);
      if (value % 4 == 2) throw new Failure("after super()");
    }

    Derived() {
      this(1);
    }

    @Override
    public Integer call() {
      return value;
    }
  }

  static int everySecondFails(int i) {
    if (i % 2 == 0) throw new Failure("half");
    return i;
  }

  static int recursive(int depth) {
    return depth == 0 ? 0 : 1 + recursive(depth - 1);
  }

  static synchronized long locked(long a, double b) {
    if (a % 2 == 0) throw new Failure("locked");
    return a + (long) b;
  }

  // The first instruction is the target of a jump.
  static void startsWithLoop(int i) {
    do {
      ++sink;
      --i;
    } while (i > 0);
  }

  static int catchesItself(int i) {
    try {
      return everySecondFails(i);
    } catch (Failure e) {
      return -1;
    } finally {
      ++sink;
    }
  }

  static int switches(int i, String s) {
    switch (i % 5) {
      case 0:
        return 10;
      case 1:
        return 11;
      case 3:
        throw new Failure("three");
      default:
        break;
    }
    switch (s) {
      case "2":
        return s.length();
      case "4":
        return 4;
      default:
        return -1;
    }
  }

  static void neverReturns() {
    throw new Failure("always");
  }


  private static void caught(Runnable call) {
    try {
      call.run();
    } catch (Failure e) {
      ++sink;
    }
  }

  public static void main(String[] args) throws Exception {
    IntUnaryOperator lambda = i -> i % 2 == 0 ? i : Math.floorMod(i, 0);
    for (int i = 0; i < CALLS; ++i) {
      final int number = i;
      caught(() -> everySecondFails(number));
      caught(() -> locked(number, 0.5));
      caught(() -> new Derived(number));
      caught(() -> switches(number, Integer.toString(number % 5)));
      caught(KnownCalls::neverReturns);
      startsWithLoop(3);
      catchesItself(i);
      try {
        sink += lambda.applyAsInt(i);
      } catch (ArithmeticException e) {
        ++sink;
      }
      Callable<Integer> bridge = new Derived();
      sink += bridge.call();
    }
    recursive(CALLS);
    System.out.println("sink=" + sink);
    if (args.length == 0) return;
    System.out.println("broken=" + JprofProbesView.broken());
    JprofProbesView.printCounts(Path.of(args[0]));
  }
}
