/** Prints hello. Hello [exit status] */
public final class Hello {
  private Hello() {}

  public static void main(String[] args) {
    System.out.println("hello");
    if (args.length > 0) {
      System.exit(Integer.parseInt(args[0]));
    }
  }
}
