import java.util.Map;
import java.util.Scanner;
import java.util.TreeMap;

/** Balances of accounts. */
public class First {
    static boolean isEntry(String[] parts) {
        return parts.length == 2;
    }

    static boolean isNumber(String word) {
        return word.matches("-?[0-9]+");
    }

    static void book(Map<String, Integer> balances, String name, int amount) {
        if (balances.containsKey(name)) {
            int before = balances.get(name);
            balances.put(name, before + amount);
        } else {
            balances.put(name, amount);
        }
    }

    static Map<String, Integer> readBalances(Scanner input) {
        Map<String, Integer> balances = new TreeMap<>();
        while (input.hasNextLine()) {
            String line = input.nextLine();
            String[] parts = line.trim().split(" +");
            if (isEntry(parts) && isNumber(parts[1])) {
                int amount = Integer.parseInt(parts[1]);
                book(balances, parts[0], amount);
            }
        }
        return balances;
    }

    static void show(Map<String, Integer> balances) {
        int total = 0;
        for (String name : balances.keySet()) {
            int balance = balances.get(name);
            // Below zero is worth a word.
            if (balance < 0) {
                System.out.println(name + ": " + balance + " OVERDRAWN");
            } else {
                System.out.println(name + ": " + balance);
            }
            total += balance;
        }
        System.out.println("total: " + total);
    }

    public static void main(String[] args) {
        Scanner input = new Scanner(System.in);
        show(readBalances(input));
    }
}
