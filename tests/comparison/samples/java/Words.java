import java.util.TreeMap;

class Words {
    private final TreeMap<String, Integer> numbers = new TreeMap<>();
    private int longest;

    void read(String text) {
        StringBuilder word = new StringBuilder();
        for (char letter : text.toLowerCase().toCharArray()) {
            if (Character.isLetter(letter)) {
                word.append(letter);
            } else if (word.length() > 0) {
                add(word.toString());
                word.setLength(0);
            }
        }
        if (word.length() > 0) add(word.toString());
    }

    private void add(String word) {
        numbers.merge(word, 1, Integer::sum);
        longest = Math.max(longest, word.length());
    }

    String table() {
        StringBuilder out = new StringBuilder("words\n");
        numbers.forEach((word, number) -> {
            out.append(word).append(" ".repeat(longest - word.length() + 2));
            out.append("*".repeat(Math.min(number, 50))).append('\n');
        });
        return out.toString();
    }

    String wrap(String text, int width) {
        String result = "";
        int used = 0;
        for (String word : text.split(" ")) {
            if (used + word.length() > width) {
                result += "\n";
                used = 0;
            }
            result += word + " ";
            used += word.length() + 1;
        }
        return result.trim();
    }
}
