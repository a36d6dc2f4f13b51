import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;

/** Bookings that overlap, as one. */
public class First {
    static boolean touches(int firstEnd, int secondStart) {
        return secondStart <= firstEnd;
    }

    static List<int[]> read(Scanner input) {
        List<int[]> bookings = new ArrayList<>();
        while (input.hasNextInt()) {
            int start = input.nextInt();
            int end = input.nextInt();
            if (start <= end) {
                bookings.add(new int[] {start, end});
            }
        }
        bookings.sort((one, two) -> one[0] - two[0]);
        return bookings;
    }

    static List<int[]> merge(List<int[]> bookings) {
        List<int[]> merged = new ArrayList<>();
        int begin = bookings.get(0)[0];
        int finish = bookings.get(0)[1];
        for (int i = 1; i < bookings.size(); i++) {
            int start = bookings.get(i)[0];
            int end = bookings.get(i)[1];
            if (touches(finish, start)) {
                if (end > finish) {
                    finish = end;
                }
            } else {
                merged.add(new int[] {begin, finish});
                begin = start;
                finish = end;
            }
        }
        merged.add(new int[] {begin, finish});
        return merged;
    }

    static int longestGap(List<int[]> merged) {
        int longest = 0;
        for (int i = 1; i < merged.size(); i++) {
            int gap = merged.get(i)[0] - merged.get(i - 1)[1];
            if (gap > longest) {
                longest = gap;
            }
        }
        return longest;
    }

    public static void main(String[] args) {
        List<int[]> merged = merge(read(new Scanner(System.in)));
        for (int[] booking : merged) {
            System.out.println(booking[0] + "-" + booking[1]);
        }
        System.out.println("longest gap: " + longestGap(merged));
    }
}
