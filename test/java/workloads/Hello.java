/** Prints hello, and ends with the exit code. usage: Hello [exitCode] */
public final class Hello {
  private Hello() {}

  public static void main(String[] args) {
    System.out.println("hello");
    if (args.length > 0) {
      System.exit(Integer.parseInt(args[0]));
    }
  }
}
