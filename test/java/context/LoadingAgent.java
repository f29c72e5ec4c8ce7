import jprof.Profiler;
import jprof.ProfilerException;

/**
 * A java.lang.instrument agent that uses the profiler in premain, before the program starts, and
 * the program itself.
 *
 * <p>usage: {@code java -javaagent:JAR=LIBRARY;COMMAND;COMMAND... LoadingAgent}
 *
 * <p>premain loads LIBRARY and gives the commands; main gives the command stop. Each answer is
 * printed with its command.
 */
public final class LoadingAgent {
    private static Profiler profiler;
    private static volatile long sink;

    private LoadingAgent() {}

    public static void premain(String words) {
        String[] parts = words.split(";");
        try {
            profiler = Profiler.load(parts[0]);
            System.out.println("load=0");
        } catch (ProfilerException exception) {
            System.out.println("load=" + exception.getMessage());
            return;
        }
        for (int i = 1; i < parts.length; ++i) give("premain", parts[i]);
    }

    public static void main(String[] arguments) {
        long end = System.nanoTime() + 500_000_000;
        long value = sink;
        while (System.nanoTime() < end) {
            for (int i = 0; i < 20_000; ++i) value = value * 31 + i;
        }
        sink = value;
        give("main", "status");
        give("main", "stop");
    }

    private static void give(String where, String command) {
        try {
            System.out.println(where + "." + command + "=" + profiler.execute(command));
        } catch (ProfilerException exception) {
            System.out.println(where + "." + command + " refused=" + exception.getMessage());
        }
    }
}
