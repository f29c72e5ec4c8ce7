/** Uses CPU time until it is killed. */
public final class Busy {
    static volatile long result;

    private Busy() {}

    public static void main(String[] arguments) {
        for (;;) work(500);
    }

    static void work(long milliseconds) {
        long end = System.nanoTime() + milliseconds * 1_000_000;
        long sum = 0;
        while (System.nanoTime() < end) sum += Long.hashCode(end - sum);
        result = sum;
    }
}
