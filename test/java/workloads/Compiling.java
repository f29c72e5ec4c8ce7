import java.math.BigDecimal;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Runs much code a few times each. With low compile thresholds, this keeps the JIT compilers as
 * busy as main.
 *
 * <p>usage: Compiling rounds
 *
 * <p>Truth in CPU nanoseconds: cpu.process, of the process from the first to the last statement of
 * main; cpu.main, of the main thread.
 */
public final class Compiling {
  private Compiling() {}

  public static void main(String[] args) {
    long process = Work.processCpuNanos();
    long thread = Work.cpuNanos();
    for (int i = 0; i < Integer.parseInt(args[0]); i++) {
      Work.sink += runMuchCode(i) ? 1 : 0;
    }
    Work.print("cpu.main", Work.cpuNanos() - thread);
    Work.print("cpu.process", Work.processCpuNanos() - process);
  }

  private static boolean runMuchCode(int round) {
    String text =
        IntStream.range(0, 50)
            .mapToObj(i -> String.format(Locale.ROOT, "%05d %s", i, BigDecimal.valueOf(i, round)))
            .collect(Collectors.joining(","));
    return Pattern.compile("(\\d+) (0\\.0\\d+),").matcher(text).find();
  }
}
