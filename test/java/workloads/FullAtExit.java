/**
 * Threads that allocate garbage as fast as they can, until the JVM has ended.
 *
 * <p>usage: FullAtExit threads milliseconds
 */
public final class FullAtExit {
  private static volatile Object sink;

  private FullAtExit() {}

  public static void main(String[] args) throws InterruptedException {
    for (int i = 0; i < Integer.parseInt(args[0]); i++) {
      Thread thread =
          new Thread(
              () -> {
                while (true) sink = new byte[100_000];
              });
      thread.setDaemon(true);
      thread.start();
    }
    Thread.sleep(Long.parseLong(args[1]));
    System.out.println("ended=1");
  }
}
