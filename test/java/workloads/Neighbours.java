import java.util.function.LongUnaryOperator;

/**
 * Burns CPU time in classes that are declared in this file but not named after it.
 *
 * <p>usage: Neighbours cpuMillis: uses so much CPU time
 */
public final class Neighbours {
  private static final int ITERATIONS = 100_000;

  private Neighbours() {}

  public static void main(String[] args) {
    long cpuNanos = Long.parseLong(args[0]) * 1_000_000;
    while (Work.cpuNanos() < cpuNanos) {
      Work.sink += burnAtHome(ITERATIONS);
      Work.sink += NextDoor.burn(ITERATIONS);
      Work.sink += NextDoor.Cellar.burn(ITERATIONS);
    }
  }

  static long burnAtHome(int iterations) {
    return repeat(iterations, value -> value * 6364136223846793005L + 1442695040888963407L);
  }

  static long repeat(int iterations, LongUnaryOperator step) {
    long value = iterations;
    for (int i = 0; i < iterations; i++) {
      value = step.applyAsLong(value);
    }
    return value;
  }
}

final class NextDoor {
  private NextDoor() {}

  static long burn(int iterations) {
    return Neighbours.repeat(iterations, value -> value * 2862933555777941757L + 3037000493L);
  }

  static final class Cellar {
    private Cellar() {}

    static long burn(int iterations) {
      long value = iterations;
      for (int i = 0; i < iterations; i++) {
        value = value * 3202034522624059733L + 4354685564936845319L;
      }
      return value;
    }
  }
}
