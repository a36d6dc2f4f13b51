import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;

/** Accounts are objects in an array that I sort myself, to keep the look-up fast. */
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
        run(new Office());
    }
}

class Account {
    String owner;
    long amount;
    Account(String owner) { this.owner = owner; }
    boolean mayPay(long sum) { return owner.equals("cash") || amount >= sum; }
    public String toString() {
        StringBuilder text = new StringBuilder(owner);
        while (text.length() < 14) text.append('.');
        return text.append(amount / 100).append(',').append(amount % 100).toString();
    }
}

class Office implements Bank.Ledger {
    private Account[] sorted = new Account[4];
    private int used;

    private int place(String owner) {
        int low = 0, high = used - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int order = sorted[middle].owner.compareTo(owner);
            if (order == 0) return middle;
            if (order < 0) low = middle + 1; else high = middle - 1;
        }
        return -low - 1;
    }

    private Account open(String owner) {
        int at = place(owner);
        if (at >= 0) return sorted[at];
        at = -at - 1;
        if (used == sorted.length) {
            Account[] larger = new Account[2 * used];
            System.arraycopy(sorted, 0, larger, 0, used);
            sorted = larger;
        }
        for (int i = used; i > at; i--) sorted[i] = sorted[i - 1];
        used++;
        return sorted[at] = new Account(owner);
    }

    public boolean book(String from, String to, long cents) {
        Account payer = open(from), payee = open(to);
        if (!payer.mayPay(cents) || cents < 1) return false;
        payer.amount -= cents;
        payee.amount += cents;
        return true;
    }

    public List<String> statement() {
        List<String> page = new ArrayList<>(used);
        for (int i = 0; i < used; i++) page.add(sorted[i].toString());
        return page;
    }
}
