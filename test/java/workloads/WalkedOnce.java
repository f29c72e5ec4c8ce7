/** Calls the agent test/native/asgst_probe from three methods. */
public final class WalkedOnce {
  private WalkedOnce() {}

  public static void main(String[] args) {
    outer();
  }

  private static void outer() {
    inner();
  }

  private static void inner() {
    WalkProbe.begin();
  }
}
