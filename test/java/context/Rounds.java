/**
 * Decides how long a program runs: for a minimum number of rounds, and for at least the seconds of
 * the system property {@code seconds} (default 0).
 */
final class Rounds {
    private static final long END =
            System.nanoTime() + Long.getLong("seconds", 0) * 1_000_000_000L;

    private Rounds() {}

    static boolean goOn(int done, int least) {
        return done < least || System.nanoTime() < END;
    }
}
