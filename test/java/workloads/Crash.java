import java.lang.reflect.Field;
import java.lang.reflect.Method;

/**
 * Brings the JVM down by a write to address 0, while another thread computes. Crash cpuMillis; with
 * a further argument it first waits for a line on standard input, after the line "ready".
 */
public final class Crash {
  private Crash() {}

  public static void main(String[] args) throws Exception {
    Class<?> type = Class.forName("sun.misc.Unsafe");
    Field field = type.getDeclaredField("theUnsafe");
    field.setAccessible(true);
    Object unsafe = field.get(null);
    Method putAddress = type.getMethod("putAddress", long.class, long.class);
    Work.startDaemon("burner", Work::burnForever);
    if (args.length > 1) {
      Work.print("ready", 1);
      System.in.read();
    }
    Work.burn(Long.parseLong(args[0]) * 1_000_000);
    putAddress.invoke(unsafe, 0L, 1L);
  }
}
