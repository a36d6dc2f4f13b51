import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Double entry: a journal of postings, from which every balance is computed. */
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
        run(new Journal());
    }
}

class Journal implements Bank.Ledger {
    private static class Posting {
        final int number;
        final String account;
        final long debit;
        final long credit;

        Posting(int number, String account, long debit, long credit) {
            this.number = number;
            this.account = account;
            this.debit = debit;
            this.credit = credit;
        }
    }

    private final ArrayList<Posting> postings = new ArrayList<>();
    private final Set<String> overdraft = Set.of("cash", "bank");
    private int next = 1;

    public boolean book(String from, String to, long cents) {
        boolean covered = overdraft.contains(from) || saldo(from) - cents >= 0;
        if (covered && cents > 0) {
            postings.add(new Posting(next, to, cents, 0));
            postings.add(new Posting(next, from, 0, cents));
            next = next + 1;
        }
        return covered && cents > 0;
    }

    long saldo(String account) {
        long sum = 0;
        for (int i = 0; i < postings.size(); i++) {
            Posting posting = postings.get(i);
            if (!posting.account.equals(account)) continue;
            sum = sum + posting.debit - posting.credit;
        }
        return sum;
    }

    boolean isBalanced() {
        long debit = 0, credit = 0;
        int at = 0;
        while (at < postings.size()) {
            debit += postings.get(at).debit;
            credit += postings.get(at).credit;
            if (at % 2 == 1 && postings.get(at).number != postings.get(at - 1).number) return false;
            at++;
        }
        return debit == credit;
    }

    public List<String> statement() {
        Set<String> accounts = new LinkedHashSet<>();
        for (Posting posting : postings) accounts.add(posting.account);
        ArrayList<String> lines = new ArrayList<>();
        for (String account : accounts)
            lines.add(String.format("%-12s %10.2f", account, saldo(account) / 100.0));
        if (!isBalanced()) throw new IllegalStateException("the journal is not balanced");
        return lines;
    }
}
