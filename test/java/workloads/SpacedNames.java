/**
 * Calls a method whose name has spaces and commas, as names in Kotlin and Spock can have.
 *
 * <p>usage: SpacedNames calls
 */
public final class SpacedNames {
  private SpacedNames() {}

  public static void main(String[] args) throws Exception {
    String name = "an order, once paid, is sent";
    Class<?> made = new MadeClass("spec/OrderSpec", 49).with(name, 2).with("other", 2).define();
    for (int i = 0; i < Integer.parseInt(args[0]); ++i) {
      made.getMethod(name).invoke(null);
      made.getMethod("other").invoke(null);
    }
  }
}
