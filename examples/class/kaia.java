import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A journal of postings with the number of moves of each account. */
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
        run(new Book());
    }
}

class Book implements Bank.Ledger {
    private static class Line {
        final int id;
        final String who;
        final long plus;
        final long minus;

        Line(int id, String who, long plus, long minus) {
            this.id = id;
            this.who = who;
            this.plus = plus;
            this.minus = minus;
        }
    }

    private final ArrayList<Line> lines = new ArrayList<>();
    private final Map<String, Integer> moves = new TreeMap<>();
    private final Set<String> free = Set.of("cash");
    private int serial = 1;

    public boolean book(String from, String to, long cents) {
        boolean fine = free.contains(from) || worth(from) - cents >= 0;
        if (fine && cents > 0) {
            lines.add(new Line(serial, to, cents, 0));
            lines.add(new Line(serial, from, 0, cents));
            serial = serial + 1;
        }
        count(from);
        count(to);
        return fine && cents > 0;
    }

    private void count(String account) {
        Integer before = moves.get(account);
        moves.put(account, before == null ? 1 : before + 1);
    }

    long worth(String who) {
        long sum = 0;
        for (int i = 0; i < lines.size(); i++) {
            Line line = lines.get(i);
            if (!line.who.equals(who)) continue;
            sum = sum + line.plus - line.minus;
        }
        return sum;
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
        for (Map.Entry<String, Integer> entry : moves.entrySet()) {
            if (!entry.getKey().equals("cash")) {
                total += worth(entry.getKey());
            }
            rows.add(entry.getKey() + " " + money(worth(entry.getKey())) + " (" + moves.get(entry.getKey()) + ")");
        }
        rows.add("total " + money(total));
        return rows;
    }
}
