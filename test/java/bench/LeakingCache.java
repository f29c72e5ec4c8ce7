import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A shop on an H2 database in memory. The keys of its cache of results contain the time of the
 * query, so that no lookup ever succeeds and the cache grows. Needs H2. Unlike the workloads of
 * Bench it is a program of its own.
 *
 * <p>usage: LeakingCache SECONDS
 */
public final class LeakingCache {
  private static final int ARTICLES = 10_000;
  private static final Map<String, List<Article>> cache = new HashMap<>();

  record Article(int id, String name, long price) {}

  static List<Article> find(PreparedStatement query, int from) throws SQLException {
    String key = from + "@" + System.nanoTime();  // the bug: each key is new
    List<Article> found = cache.get(key);
    if (found == null) {
      found = read(query, from);
      cache.put(key, found);
    }
    return found;
  }

  static List<Article> read(PreparedStatement query, int from) throws SQLException {
    List<Article> articles = new ArrayList<>();
    query.setInt(1, from);
    query.setInt(2, from + 20);
    try (ResultSet rows = query.executeQuery()) {
      while (rows.next()) {
        articles.add(new Article(rows.getInt(1), rows.getString(2), rows.getLong(3)));
      }
    }
    return articles;
  }

  public static void main(String[] args) throws Exception {
    try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:shop");
        Statement statement = connection.createStatement()) {
      statement.execute("create table article (id int primary key, name varchar, price bigint)");
      statement.execute(
          "insert into article select x, 'article ' || x, x * 10 from system_range(1, "
              + ARTICLES + ")");
      PreparedStatement query =
          connection.prepareStatement("select id, name, price from article where id between ? and ?");
      long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
      for (int i = 0; System.nanoTime() < end; i++) {
        find(query, i % ARTICLES);
        if (i % 10 == 0) Thread.sleep(10);
      }
      System.out.println("results kept: " + cache.size());
    }
  }
}
