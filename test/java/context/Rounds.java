/** How long a program goes on: so many rounds, and until -Dseconds=N have passed, by default 0. */
final class Rounds {
    private static final long END =
            System.nanoTime() + Long.getLong("seconds", 0) * 1_000_000_000L;

    private Rounds() {}

    static boolean goOn(int done, int least) {
        return done < least || System.nanoTime() < END;
    }
}
