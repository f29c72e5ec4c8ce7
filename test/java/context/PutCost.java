import java.util.Arrays;
import jprof.ThreadContext;

/**
 * Measures the cost of a call of jprof.ThreadContext in nanoseconds: the median of all rounds,
 * after a warm-up.
 *
 * <p>usage: {@code java PutCost}
 *
 * <p>Run it in JVMs with the agent (context=1) and without, and compare. It asserts nothing.
 */
public final class PutCost {
    private static final int ROUNDS = 31;
    private static final int CALLS = 5_000_000;

    private PutCost() {}

    private interface Body {
        void call(long number);
    }

    public static void main(String[] arguments) {
        ThreadContext.put(1, 1);
        System.out.println("active=" + (ThreadContext.isActive() ? 1 : 0));
        print("put(span,root)", n -> ThreadContext.put(n, n));
        print("put(trace,span,flags)", n -> ThreadContext.put(n, n, n, 1));
        print("put(trace,span,flags,root)", n -> ThreadContext.put(n, n, n, 1, n));
        ThreadContext.clear();
        ThreadContext.putTag("tenant", "acme-corporation");
        ThreadContext.putTag("route", "/orders/{id}");
        print("put(span,root) with 2 tags", n -> ThreadContext.put(n, n));
        print("putTag", n -> ThreadContext.putTag("route", "/orders/{id}"));
        ThreadContext.clear();
        print("open(span,root), close", n -> ThreadContext.open(n, n).close());
        print("clear", n -> ThreadContext.clear());
    }

    private static void print(String name, Body body) {
        double[] nanos = new double[ROUNDS];
        for (int round = -5; round < ROUNDS; ++round) {
            long start = System.nanoTime();
            for (long i = 1; i <= CALLS; ++i) body.call(i);
            double each = (System.nanoTime() - start) / (double) CALLS;
            if (round >= 0) nanos[round] = each;
        }
        Arrays.sort(nanos);
        System.out.printf(
                "%-28s median %5.1f ns, fastest %5.1f ns%n", name, nanos[ROUNDS / 2], nanos[0]);
    }
}
