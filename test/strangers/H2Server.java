import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import org.h2.tools.Server;

/** H2's server over TCP, database in memory: transactions that insert 20 rows and sum them. */
public final class H2Server implements Stranger.Program {
    private static final int ROWS = 20;

    private Server server;
    private Connection[] connections;

    @Override
    public void start(int threads) throws Exception {
        server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
        String url = "jdbc:h2:tcp://127.0.0.1:" + server.getPort()
                + "/mem:orders;DB_CLOSE_DELAY=-1";
        connections = new Connection[threads];
        for (int i = 0; i < threads; ++i) connections[i] = DriverManager.getConnection(url);
        try (Statement statement = connections[0].createStatement()) {
            statement.execute(
                    "create table line (purchase int, item int, name varchar, price int)");
            statement.execute("create index lines_of on line (purchase)");
        }
        for (Connection each : connections) each.setAutoCommit(false);
    }

    @Override
    public long operation(int thread, int number) throws Exception {
        Connection connection = connections[thread];
        try (PreparedStatement insert =
                        connection.prepareStatement("insert into line values (?, ?, ?, ?)");
                PreparedStatement query = connection.prepareStatement(
                        "select item, max(name), sum(price) from line where purchase = ?"
                                + " group by item order by item");
                PreparedStatement delete =
                        connection.prepareStatement("delete from line where purchase = ?")) {
            for (int i = 0; i < ROWS; ++i) {
                insert.setInt(1, number);
                insert.setInt(2, i % 7);
                insert.setString(3, "item " + number * i);
                insert.setInt(4, number % 100 + i);
                insert.addBatch();
            }
            insert.executeBatch();
            query.setInt(1, number);
            long sum = 0;
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    sum = Stranger.hash(sum, rows.getString(2));
                    sum = Stranger.hash(sum, rows.getLong(3));
                }
            }
            delete.setInt(1, number);
            sum = Stranger.hash(sum, delete.executeUpdate());
            connection.commit();
            return sum;
        }
    }

    @Override
    public void stop() throws Exception {
        for (Connection each : connections) each.close();
        server.stop();
    }
}
