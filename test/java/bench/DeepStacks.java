import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A service behind 40 interceptors, as frameworks make them: dynamic proxies, each of which calls
 * the next one by reflection, with streams between them. The stack has some 250 frames. An
 * operation is a call through all interceptors.
 */
final class DeepStacks implements Workload {
  private static final int INTERCEPTORS = 40;

  /** The service that the interceptors wrap. */
  interface Service {
    long call(long value);
  }

  private final Team team = new Team(2);
  private Service service;

  @Override
  public void prepare() {
    service = DeepStacks::work;
    for (int i = 0; i < INTERCEPTORS; i++) {
      service = i % 4 == 3 ? streaming(service) : intercepted(service, i);
    }
  }

  private static Service intercepted(Service next, int number) {
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          try {
            return (Long) method.invoke(next, arguments) + number;
          } catch (InvocationTargetException failure) {
            throw failure.getCause();
          }
        };
    return (Service)
        Proxy.newProxyInstance(
            DeepStacks.class.getClassLoader(), new Class<?>[] {Service.class}, handler);
  }

  private static Service streaming(Service next) {
    return value -> List.of(value).stream().map(next::call).collect(Collectors.toList()).get(0);
  }

  private static long work(long value) {
    return IntStream.range(0, 300)
        .mapToObj(i -> Long.toString(value * 31 + i, 36))
        .filter(text -> text.hashCode() % 3 == 0)
        .mapToLong(String::length)
        .sum();
  }

  @Override
  public long run(long operations) throws Exception {
    return team.run(
        operations,
        (member, part) -> {
          long sum = 0;
          for (long i = 0; i < part; i++) {
            sum += service.call(i);
          }
          return sum;
        });
  }

  @Override
  public void close() {
    team.close();
  }
}
