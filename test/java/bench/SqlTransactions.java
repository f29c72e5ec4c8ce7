import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Payments between accounts of an H2 database in memory, over four connections. An operation is a
 * transaction of a query, two updates and an insertion.
 */
final class SqlTransactions implements Workload {
  private static final String URL = "jdbc:h2:mem:bench;DB_CLOSE_DELAY=-1";
  private static final int CONNECTIONS = 4;
  private static final int ACCOUNTS = 1000;  // accounts of each connection

  private final Team team = new Team(CONNECTIONS);

  @Override
  public void prepare() throws SQLException {
    try (Connection connection = DriverManager.getConnection(URL);
        Statement statement = connection.createStatement()) {
      statement.execute("create table account (id int primary key, owner varchar, balance bigint)");
      statement.execute("create table payment (id identity, source int, target int, amount int)");
      statement.execute("create index payments_of on payment (source)");
      statement.execute(
          "insert into account select x, 'owner ' || x, 1000000 from system_range(0, "
              + (CONNECTIONS * ACCOUNTS - 1) + ")");
    }
  }

  @Override
  public long run(long operations) throws Exception {
    long sum = team.run(operations, SqlTransactions::pay);
    try (Connection connection = DriverManager.getConnection(URL);
        Statement statement = connection.createStatement()) {
      statement.execute("delete from payment");
    }
    return sum;
  }

  private static long pay(int member, long operations) throws SQLException {
    long sum = 0;
    try (Connection connection = DriverManager.getConnection(URL);
        PreparedStatement query =
            connection.prepareStatement("select owner, balance from account where id = ?");
        PreparedStatement update =
            connection.prepareStatement("update account set balance = balance + ? where id = ?");
        PreparedStatement insert =
            connection.prepareStatement(
                "insert into payment (source, target, amount) values (?, ?, ?)")) {
      connection.setAutoCommit(false);
      for (long i = 0; i < operations; i++) {
        int source = member * ACCOUNTS + (int) (i * 7919 % ACCOUNTS);
        int target = member * ACCOUNTS + (int) (i * 104729 % ACCOUNTS);
        int amount = (int) (i % 100);
        query.setInt(1, source);
        try (ResultSet row = query.executeQuery()) {
          row.next();
          sum += row.getString(1).length();
        }
        move(update, source, -amount);
        move(update, target, amount);
        insert.setInt(1, source);
        insert.setInt(2, target);
        insert.setInt(3, amount);
        insert.executeUpdate();
        connection.commit();
      }
    }
    return sum;
  }

  private static void move(PreparedStatement update, int account, int amount) throws SQLException {
    update.setInt(1, amount);
    update.setInt(2, account);
    update.executeUpdate();
  }

  @Override
  public void close() {
    team.close();
  }
}
