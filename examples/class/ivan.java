import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A map from account to balance, and nothing else is kept. */
class Bank {
    interface Ledger {
        boolean book(String from, String to, long cents);

        List<String> statement();
    }

    static List<String[]> read(BufferedReader reader) throws IOException {
        List<String[]> bookings = new ArrayList<>();
        String line = reader.readLine();
        while (line != null) {
            String[] parts = line.trim().split("\\s+");
            if (parts.length == 3 && !parts[0].startsWith("#")) {
                bookings.add(parts);
            }
            line = reader.readLine();
        }
        return bookings;
    }

    static void run(Ledger ledger) throws IOException {
        int refused = 0;
        for (String[] parts : read(new BufferedReader(new InputStreamReader(System.in)))) {
            if (!ledger.book(parts[0], parts[1], Long.parseLong(parts[2]))) {
                refused++;
            }
        }
        for (String row : ledger.statement()) {
            System.out.println(row);
        }
        System.out.println("refused: " + refused);
    }

    public static void main(String[] arguments) throws IOException {
        run(new SimpleLedger());
    }
}

class SimpleLedger implements Bank.Ledger {
    private static final String CASH = "cash";
    private final Map<String, Long> balances = new TreeMap<>();
    private final Map<String, Integer> moves = new TreeMap<>();

    @Override
    public boolean book(String from, String to, long cents) {
        if (cents <= 0 || from.equals(to)) {
            return false;
        }
        if (!from.equals(CASH) && balances.getOrDefault(from, 0L) < cents) {
            return false;
        }
        balances.merge(from, -cents, Long::sum);
        balances.merge(to, cents, Long::sum);
        count(from);
        count(to);
        return true;
    }

    private void count(String account) {
        Integer before = moves.get(account);
        moves.put(account, before == null ? 1 : before + 1);
    }

    private String money(long cents) {
        String sign = cents < 0 ? "-" : "";
        long absolute = Math.abs(cents);
        return sign + absolute / 100 + "." + (absolute % 100 < 10 ? "0" : "") + absolute % 100;
    }

    @Override
    public List<String> statement() {
        List<String> rows = new ArrayList<>();
        long total = 0;
        for (Map.Entry<String, Long> entry : balances.entrySet()) {
            if (!entry.getKey().equals(CASH)) {
                total += entry.getValue();
            }
            rows.add(entry.getKey() + " " + money(entry.getValue()) + " (" + moves.get(entry.getKey()) + ")");
        }
        rows.add("total " + money(total));
        return rows;
    }
}
