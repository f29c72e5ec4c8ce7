import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** DuckDB: joins, window functions and sorts on a database in memory, by DuckDB's own threads. */
public final class DuckDbQueries implements Stranger.Program {
    private static final int ROWS = 40_000;
    private static final String QUERY = "with sums as (select customer, region, sum(amount) as total, "
            + "count(*) as orders, string_agg(code, '' order by orders.id) as codes from orders "
            + "join customers on customer = customers.id where orders.id % 97 <> ? "
            + "group by customer, region) "
            + "select region, customer, total, orders, md5(codes) as codes, "
            + "rank() over (partition by region order by total desc, customer) as place "
            + "from sums qualify place <= 3 order by region, place";

    private Connection database;
    private Connection[] connections;

    @Override
    public void start(int threads) throws SQLException {
        database = DriverManager.getConnection("jdbc:duckdb:");
        try (Statement statement = database.createStatement()) {
            statement.execute("set threads = 4");
            statement.execute("create table customers as select range as id, 'r' || range % 11 as region "
                    + "from range(500)");
            statement.execute("create table orders as select range as id, range * 7919 % 500 as customer, "
                    + "range * 31 % 1009 as amount, 'c' || range % 13 as code from range(" + ROWS + ")");
        }
        connections = new Connection[threads];
        for (int i = 0; i < threads; ++i) {
            connections[i] = ((org.duckdb.DuckDBConnection) database).duplicate();
        }
    }

    @Override
    public long operation(int thread, int number) throws SQLException {
        long sum = 0;
        try (PreparedStatement query = connections[thread].prepareStatement(QUERY)) {
            query.setInt(1, number);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    for (int i = 1; i <= 6; ++i) sum = Stranger.hash(sum, rows.getString(i));
                }
            }
        }
        try (Statement wrong = connections[thread].createStatement()) {
            wrong.executeQuery("select no_column_" + number + " from orders");
        } catch (SQLException expected) {
            sum = Stranger.hash(sum, expected.getMessage().length()); // made from a C++ exception
        }
        return sum;
    }

    @Override
    public void stop() throws SQLException {
        for (Connection each : connections) each.close();
        database.close();
    }
}
