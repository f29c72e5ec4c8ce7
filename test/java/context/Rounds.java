/**
 * Decides how long a program runs: a number of rounds, and until -Dseconds=N (default 0) have
 * passed.
 */
final class Rounds {
    private static final long END =
            System.nanoTime() + Long.getLong("seconds", 0) * 1_000_000_000L;

    private Rounds() {}

    static boolean goOn(int done, int least) {
        return done < least || System.nanoTime() < END;
    }
}
