import java.util.Random;

/**
 * Makes random expressions, parses them and evaluates them: a program for the example profilers.
 *
 * <p>The argument is the number of expressions; the default is 150 000.
 */
public final class MathParser {
  private final String text;
  private int at;

  private MathParser(String text) {
    this.text = text;
  }

  public static void main(String[] args) {
    long count = args.length == 0 ? 150_000 : Long.parseLong(args[0]);
    Random random = new Random(42);
    double sum = 0;
    for (long i = 0; i < count; ++i) {
      String expression = generate(random, 9);
      sum += new MathParser(expression).parseSum();
    }
    System.out.println("expressions=" + count + " sum=" + sum);
  }

  private static String generate(Random random, int depth) {
    if (depth == 0) {
      return Integer.toString(1 + random.nextInt(99));
    }
    String left = generate(random, depth - 1);
    String right = generate(random, random.nextInt(depth));
    return "(" + left + "+-*/".charAt(random.nextInt(4)) + right + ")";
  }

  private double parseSum() {
    double value = parseProduct();
    while (at < text.length() && (text.charAt(at) == '+' || text.charAt(at) == '-')) {
      char operator = text.charAt(at++);
      double other = parseProduct();
      value = operator == '+' ? value + other : value - other;
    }
    return value;
  }

  private double parseProduct() {
    double value = parseFactor();
    while (at < text.length() && (text.charAt(at) == '*' || text.charAt(at) == '/')) {
      char operator = text.charAt(at++);
      double other = parseFactor();
      value = operator == '*' ? value * other : value / (other == 0 ? 1 : other);
    }
    return value;
  }

  private double parseFactor() {
    if (text.charAt(at) == '(') {
      ++at;
      double value = parseSum();
      ++at;
      return value;
    }
    int begin = at;
    while (at < text.length() && Character.isDigit(text.charAt(at))) {
      ++at;
    }
    return Double.parseDouble(text.substring(begin, at));
  }
}
